import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackgroundRequest, Processes } from '@klaus/core/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandbox } from '../index.ts';
import { ownNamespace } from '../process/owner.ts';
import { readProcess } from '../process/process-table.ts';
import { createSandboxFixture, eventually, findProcesses } from '../sandbox.fixture.ts';
import type { SandboxFixture } from '../sandbox.fixture.ts';
import { createProcesses } from './create-processes.ts';
import type { ProcessHome } from './create-processes.ts';
import { bootId, writeIdentity } from './process-files.ts';
import { SEGMENT_BYTES } from './supervisor.ts';

const LONG_MS = 60_000;

let place: SandboxFixture;
let home: ProcessHome;
let processes: Processes;
beforeEach(() => {
  place = createSandboxFixture();
  home = createProcesses({ home: place.home });
  processes = home.open('S1');
});
afterEach(async () => {
  await home.remove('S1');
  place[Symbol.dispose]();
});

async function start(command: string, more: Partial<BackgroundRequest> = {}): Promise<string> {
  const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
  const survives = more.survives ?? true;
  const { workspace } = place;
  const { id, folder } = processes.reserve({ command, cwd: workspace, survives, workspace, call: 'c1', attempt: 1 });
  await sandbox.start!({ command, cwd: workspace, folder, ...more, survives });
  return id;
}

const toFolder = (id: string): string => join(place.home, 'processes', 'S1', id);
const ended = (id: string) => processes.wait(id, { until: { kind: 'exit' }, timeoutMs: LONG_MS });
const said = (id: string, text: string) =>
  processes.wait(id, { until: { kind: 'text', text, from: 0 }, timeoutMs: LONG_MS });

const search = await findBubblewrap(createSandboxFixture());

describe.skipIf(!search.program)(`background processes ${search.program ? '' : `(${search.reason})`}`, () => {
  test('keeps output of both streams in order, and the exit code', async () => {
    const id = await start('echo one; echo two >&2; printf "äöü"; exit 7');
    expect(await ended(id)).toBe('met');
    expect(processes.find(id)).toMatchObject({ id: 'p1', state: 'exited', exitCode: 7, bytes: 14, reason: null });
    expect(processes.read(id, { from: 0 })).toEqual({ text: 'one\ntwo\näöü', from: 0, next: 14 });
    // No character is split, and the next read continues after it.
    expect(processes.read(id, { from: 0, maxBytes: 11 })).toEqual({ text: 'one\ntwo\nä', from: 0, next: 10 });
    expect(processes.read(id, { from: 10 })).toEqual({ text: 'öü', from: 10, next: 14 });
    expect(findProcesses(toFolder(id))).toEqual([]);
  });

  test('shows new output immediately, and waits for a text in two chunks', { tags: ['long'] }, async () => {
    const id = await start('printf "list"; read -r line; printf "ening on $line"; read -r line');
    expect(await said(id, 'list')).toBe('met');
    const seen = said(id, 'listening on 3000');
    await processes.send(id, '3000\n');
    expect(await seen).toBe('met');
    expect(processes.find(id)).toMatchObject({ state: 'running', exitCode: null });
    // It ends before it writes the text.
    const never = said(id, 'never');
    await processes.send(id, '\n');
    expect(await never).toBe('ended');
    await expect(processes.send(id, 'x')).rejects.toThrow('p1 has ended');
  });

  test('reports when a port is open in its network', async () => {
    const listen = `require('net').createServer().listen(0, '127.0.0.1', function () { console.log('at ' + this.address().port); })`;
    const id = await start(`node -e "${listen}"`);
    await said(id, '\n');
    const port = Number(/at (\d+)/.exec(processes.read(id, { from: 0 }).text)?.[1]);
    expect(await processes.wait(id, { until: { kind: 'port', port }, timeoutMs: LONG_MS })).toBe('met');
    expect(await processes.wait(id, { until: { kind: 'port', port: port ^ 1 }, timeoutMs: 30 })).toBe('late');
  });

  test('ends a process that ignores SIGTERM and forks, with all of its children', { tags: ['long'] }, async () => {
    const mark = `forked-${process.pid}`;
    // Children inherit ignored signals.
    const deaf = `bash -c 'exec -a ${mark} sleep 1000'`;
    const id = await start(`trap '' TERM; ${deaf} & (setsid ${deaf} &); echo up; while :; do sleep 1; done`);
    await said(id, 'up');
    expect(await eventually(() => findProcesses(mark).length > 1)).toBe(true);
    const status = await processes.stop(id, { reason: 'a test', graceMs: 50 });
    expect(status).toMatchObject({ state: 'stopped', reason: 'a test', exitCode: 137 });
    expect(findProcesses(mark)).toEqual([]);
    // A second call has no effect, and the first reason is kept.
    expect(await processes.stop(id, { reason: 'again' })).toMatchObject({ reason: 'a test' });
  });

  test('lets a program that handles SIGTERM exit by itself', { tags: ['long'] }, async () => {
    const id = await start(`trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done`);
    await said(id, 'up');
    expect(await processes.stop(id, { reason: 'a test', graceMs: LONG_MS })).toMatchObject({ exitCode: 5 });
    expect(processes.read(id, { from: 0 }).text).toContain('bye');
  });

  test('never signals a process that has the same number', async () => {
    const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await once(stranger, 'spawn');
    const pid = stranger.pid!;
    const { startTime } = readProcess(pid)!;
    const forge = (boot: string, startTime_: string): string => {
      const { workspace } = place;
      const request = { command: 'x', cwd: workspace, survives: false, workspace, call: 'c1', attempt: 1 };
      const { id, folder } = processes.reserve(request);
      const name = { pid, startTime: startTime_ };
      writeFileSync(join(folder, 'started'), '\n');
      writeIdentity(folder, { boot, namespace: ownNamespace(), supervisor: name, init: name, groups: [] });
      return id;
    };
    try {
      const reused = forge(bootId(), String(Number(startTime) - 1));
      const rebooted = forge('another', startTime);
      expect(processes.find(reused)).toMatchObject({ state: 'lost', reason: expect.stringContaining('killed') });
      expect(processes.find(rebooted)).toMatchObject({ state: 'lost', reason: expect.stringContaining('restarted') });
      for (const id of [reused, rebooted]) await processes.stop(id, { reason: 'a test', graceMs: 0 });
      await processes.takeOver();
      expect(readProcess(pid)).toMatchObject({ startTime, ended: false });
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('stores the beginning and the end of endless output in files of limited size', { tags: ['long'] }, async () => {
    const written = 40_000_000;
    const id = await start(`echo first; yes 0123456789abcdef | head -c ${written}; echo last`);
    expect(await ended(id)).toBe('met');
    const { bytes } = processes.find(id)!;
    expect(bytes).toBe(6 + written + 5);
    const sizes = readdirSync(toFolder(id)).map((name) => statSync(join(toFolder(id), name)).size);
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(6 * SEGMENT_BYTES);
    expect(processes.read(id, { from: 0, maxBytes: 6 }).text).toBe('first\n');
    expect(processes.read(id, { from: bytes - 5 })).toEqual({ text: 'last\n', from: bytes - 5, next: bytes });
    // A read in the dropped part continues at the next stored byte.
    const late = processes.read(id, { from: 3 * SEGMENT_BYTES, maxBytes: 100 });
    expect(late.from).toBeGreaterThan(3 * SEGMENT_BYTES);
    expect(late.text).toHaveLength(100);
  });

  test('reads invalid UTF-8 as text without an error', { tags: ['long'] }, async () => {
    const id = await start('head -c 300000 /dev/urandom; printf "\\377\\376\\000"');
    await ended(id);
    const { bytes } = processes.find(id)!;
    expect(bytes).toBe(300_003);
    let at = 0;
    for (let reads = 0; at < bytes; reads++) {
      expect(reads).toBeLessThan(100);
      at = processes.read(id, { from: at, maxBytes: 7_001 }).next;
    }
    expect(at).toBe(bytes);
  });

  test('has the same isolation as in the foreground: files, network, limits', async () => {
    writeFileSync(join(place.workspace, 'seen.txt'), 'seen');
    const id = await start(
      'cat seen.txt; ls /proc/net/dev >/dev/null; grep -c : /proc/net/dev; touch /usr/x; cat /etc/shadow; ls -A ' +
        place.home,
    );
    await ended(id);
    const { text } = processes.read(id, { from: 0 });
    expect(text).toContain('seen');
    // Only a loopback interface.
    expect(text).toMatch(/^seen1$/m);
    expect(text).toContain('Read-only file system');
    expect(text).not.toContain('root:');
    expect(text).not.toContain('process.json');
    expect(statSync(join(place.home, 'processes')).mode & 0o777).toBe(0o700);
    expect(statSync(toFolder(id)).mode & 0o777).toBe(0o700);
  });

  test('is stopped at its time-out without a caller', { tags: ['long'] }, async () => {
    // On a busy machine the start alone takes more than a second.
    const id = await start('echo up; sleep 1000', { limits: { timeoutMs: 3_000 } });
    expect(await ended(id)).toBe('met');
    expect(processes.find(id)).toMatchObject({ state: 'stopped', reason: expect.stringContaining('3 s') });
    expect(findProcesses(toFolder(id))).toEqual([]);
  });

  test('a command that cannot start reports the reason and leaves nothing', async () => {
    const { workspace } = place;
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
    const begin = async (signal?: AbortSignal) => {
      const { id, folder } = processes.reserve({
        command: 'x',
        cwd: workspace,
        survives: true,
        workspace,
        call: 'c',
        attempt: 1,
      });
      const binds = signal ? {} : { files: { read: [join(workspace, 'not/there')], write: [] } };
      await sandbox.start!({
        command: 'touch ran',
        folder,
        survives: true,
        ...binds,
        signal,
      }).catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
      return id;
    };
    const id = await begin(AbortSignal.abort());
    expect(processes.find(id)).toMatchObject({ state: 'unstarted' });
    expect(readdirSync(workspace)).toEqual([]);
    expect(await eventually(() => findProcesses(toFolder(id)).length === 0)).toBe(true);
  });

  test('the end of Klaus ends processes that are not marked, and `close` returns them', async () => {
    const gone = await start('echo up; sleep 1000', { survives: false });
    const stays = await start('echo up; sleep 1000');
    await said(gone, 'up');
    await said(stays, 'up');
    expect((await home.close()).map(({ id, state }) => [id, state])).toEqual([[gone, 'stopped']]);
    expect(processes.find(stays)).toMatchObject({ state: 'running' });
    expect(readFileSync(join(toFolder(gone), 'stop'), 'utf8')).toContain('Klaus');
  });
});
