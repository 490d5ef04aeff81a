import { chownSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeIdleContainers, createSandbox, type CreateSandboxOptions } from '../index.ts';
import { createSandboxFixture, eventually } from '../sandbox.fixture.ts';
import { startApiServer, type ApiServer } from './api-server.fixture.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';

let place: ReturnType<typeof createSandboxFixture>;
let server: ApiServer;
const outer = process.env['KUBECONFIG'];

beforeEach(async () => {
  place = createSandboxFixture();
  if (process.getuid?.() === 0) chownSync(place.workspace, 1234, 1234);
  server = await startApiServer();
  const file = join(place.root, 'config');
  server.writeConfig(file);
  process.env['KUBECONFIG'] = file;
});

afterEach(async () => {
  await closeIdleContainers();
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
  if (outer === undefined) delete process.env['KUBECONFIG'];
  else process.env['KUBECONFIG'] = outer;
});

const toOptions = () => ({
  ...place,
  kubernetes: { volumes: [`${place.root}=claim:projects`], enforcesPolicies: true, userNamespace: false },
});

function open(more: Partial<CreateSandboxOptions> = {}) {
  return createSandbox({ ...toOptions(), choice: 'kubernetes', ...more });
}

function openShort(session?: string) {
  const times = { start: 200, end: 200 };
  return new KubernetesSandbox({ ...toOptions(), times, session });
}

async function run(command: ExecRequest['command'], more: Partial<ExecRequest> = {}) {
  return (await open()).exec({ command, ...more });
}

describe('commands', () => {
  test('pass input, words, exit codes and long output', async () => {
    expect(await run(['printf', '%s|', 'a b', '$HOME'])).toMatchObject({ stdout: 'a b|$HOME|', exitCode: 0 });
    const both = await run('cat; echo e >&2; exit 7', { stdin: 'größe' });
    expect(both).toMatchObject({ stdout: 'größe', stderr: 'e\n', exitCode: 7 });
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143, signal: null });
    const input = 'x'.repeat(300_000);
    expect((await run('cat | wc -c', { stdin: input })).stdout.trim()).toBe('300000');
    expect(await run('yes | head -c 3000000', { keepBytes: 1_000 })).toMatchObject({ truncated: true, exitCode: 0 });
  });

  test('a program gets messages while it runs, in a pod of its own', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* messages() {
      yield Buffer.from('one\n');
      await promise;
      yield Buffer.from('two\n');
    }
    const seen: string[] = [];
    const result = await run('while read -r line; do echo "got $line"; done', {
      stdin: messages(),
      onOutput: (chunk) => {
        seen.push(Buffer.from(chunk).toString());
        resolve();
      },
    });
    expect(result).toMatchObject({ stdout: 'got one\ngot two\n', exitCode: 0 });
    expect(server.state.pods.size).toBe(0);
  });

  test('end at their time limit and when they are cancelled, with all of their processes', async () => {
    const late = await run('sleep 60 & sleep 60; echo never', { limits: { timeoutMs: 200 } });
    expect(late).toMatchObject({ timedOut: true, cancelled: false, stdout: '' });
    const control = new AbortController();
    const cancelled = await run('echo on; sleep 60', {
      signal: control.signal,
      onOutput: () => control.abort(),
    });
    expect(cancelled).toMatchObject({ cancelled: true, timedOut: false, stdout: 'on\n' });
    const kill = new AbortController();
    const stubborn = await run("trap '' TERM; echo on; while :; do sleep 1; done", {
      signal: kill.signal,
      onOutput: () => kill.abort(),
    });
    expect(stubborn).toMatchObject({ cancelled: true, exitCode: 137, stdout: 'on\n' });
    const before = await run('echo never', { signal: AbortSignal.abort() });
    expect(before).toMatchObject({ cancelled: true, stdout: '' });
  });

  test('a memory limit that was reached is reported', async () => {
    const sandbox = await open();
    const result = await sandbox.exec({ command: 'echo on', onOutput: () => server.state.oom++ });
    expect(result.exceeded).toEqual([expect.stringContaining('memory')]);
    expect(server.state.pods.size).toBe(0);
  });
});

describe('pods', () => {
  test('one serves all commands of a session, and is deleted when the sandbox is closed', async () => {
    await (await open({ session: 'one' })).exec({ command: 'true' });
    await (await open({ session: 'one' })).exec({ command: 'false' });
    expect(server.state.created).toHaveLength(1);
    await (await open({ session: 'two' })).exec({ command: 'true' });
    expect(server.state.created).toHaveLength(2);
    const labels = [...server.state.pods.values()].map(({ metadata }) => metadata?.labels?.['klaus.session']);
    expect(labels).toEqual(['one', 'two']);
    await closeIdleContainers();
    expect(server.state.pods.size).toBe(0);
  });

  test('another one replaces it for other mounts, or when a command left a process', async () => {
    const sandbox = await open({ session: 'one' });
    await sandbox.exec({ command: 'true' });
    const kept = join(place.workspace, 'kept');
    writeFileSync(kept, '');
    await sandbox.exec({ command: 'true', protect: [kept] });
    expect(server.state.created).toHaveLength(2);
    server.state.left = 1;
    await sandbox.exec({ command: 'true', protect: [kept] });
    server.state.left = 0;
    await sandbox.exec({ command: 'true', protect: [kept] });
    expect(server.state.created.length).toBeGreaterThan(2);
    expect(server.state.pods.size).toBe(1);
  });

  test('those that are not used any more are deleted, and those of other workers are not', async () => {
    const metadata = (name: string, owner: string) => ({ name, annotations: { 'klaus.owner': owner } });
    server.state.pods.set('ended', { metadata: metadata('ended', 'other/1-1-1'), status: { phase: 'Succeeded' } });
    server.state.pods.set('used', { metadata: metadata('used', 'other/1-1-1'), status: { phase: 'Running' } });
    await run('true');
    expect([...server.state.pods.keys()].filter((name) => !name.startsWith('klaus-'))).toEqual(['used']);
  });

  test('a pod that ends during a command is a failure of the driver', async () => {
    const sandbox = await open();
    const end = sandbox.exec({
      command: 'echo on; sleep 60',
      onOutput: () => {
        for (const [name, pod] of server.state.pods)
          server.state.pods.set(name, { ...pod, status: { phase: 'Failed', reason: 'Evicted', message: 'disk' } });
        void server.drop();
      },
    });
    await expect(end).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('Evicted: disk'),
    });
    expect(server.state.pods.size).toBe(0);
  });
});

describe('a failure', () => {
  test('a pod without a node names the reason of the scheduler, and is deleted', async () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }];
    server.state.status = () => ({ phase: 'Pending', conditions });
    server.state.events = [
      { metadata: {}, involvedObject: {}, reason: 'FailedScheduling', message: 'Insufficient cpu', type: 'Warning' },
    ];
    await expect(openShort().exec({ command: 'true' })).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringMatching(/0\/3 nodes.*FailedScheduling: Insufficient cpu/),
    });
    expect(server.state.pods.size).toBe(0);
  });

  test('a missing image ends the wait at once', async () => {
    const waiting = { reason: 'ErrImageNeverPull', message: 'no image' };
    const status = { phase: 'Pending', initContainerStatuses: [{ name: 'shell', state: { waiting } }] };
    server.state.status = () => status as never;
    const start = openShort().exec({ command: 'true' });
    await expect(start).rejects.toMatchObject({ message: expect.stringContaining('ErrImageNeverPull: no image') });
  });

  test('a missing permission names it', async () => {
    server.state.forbidden.add('create pods');
    await expect(run('true')).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('HTTP 403): pods is forbidden'),
    });
    server.state.forbidden.clear();
    server.state.forbidden.add('get pods/attach');
    await expect(run('true')).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('403'),
    });
    expect(server.state.pods.size).toBe(0);
  });

  test('an API server that is lost during a command is reported, and the command has ended', async () => {
    const mark = join(place.workspace, 'mark');
    const sandbox = openShort();
    const lost = sandbox.exec({ command: `echo on; sleep 2; touch ${mark}`, onOutput: () => void server.stop() });
    await expect(lost).rejects.toMatchObject({ code: 'sandbox.failed' });
    const again = sandbox.exec({ command: 'true' });
    await expect(again).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('Kubernetes'),
    });
  });

  test('no command runs without a policy that refuses connections', async () => {
    server.state.policies = [];
    const refused = run('true');
    await expect(refused).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('Ingress'),
    });
    expect(server.state.created).toEqual([]);
  });

  test('what pods cannot keep is refused', async () => {
    const file = join(place.workspace, 'a');
    const refuse = (more: Partial<ExecRequest>) =>
      expect(run('true', more)).rejects.toMatchObject({ code: expect.stringMatching(/^sandbox\./) });
    await refuse({ network: true });
    await refuse({ network: { hosts: [] } as never });
    await refuse({ files: { read: [file], write: [] } });
    await refuse({ inherits: true });
    await refuse({ readable: [realpathSync(import.meta.dirname)] });
    expect(server.state.created).toEqual([]);
    const { kubernetes } = toOptions();
    for (const changed of [{ volumes: [] }, { enforcesPolicies: false }])
      await expect(open({ kubernetes: { ...kubernetes, ...changed } })).rejects.toMatchObject({
        code: 'sandbox.unavailable',
      });
    await expect(open({ hosts: ['example.com'] })).rejects.toMatchObject({ code: 'sandbox.unavailable' });
  });
});

test('an idle pod whose connection is lost is replaced', async () => {
  const sandbox = await open({ session: 'one' });
  await sandbox.exec({ command: 'true' });
  const [first] = server.state.created;
  server.state.pods.delete(first!);
  await server.drop();
  expect(await eventually(async () => (await sandbox.exec({ command: 'echo on' })).stdout === 'on\n', 1)).toBe(true);
  expect(server.state.created).toHaveLength(2);
});
