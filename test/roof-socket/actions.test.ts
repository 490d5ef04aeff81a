// Covers apps/cli/instance, apps/cli/commands/instances: every action of the socket protocol, spoken by a plain script.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { RESULTS, type Action } from '../../apps/cli/instance/protocol.ts';
import { runKlaus, toEnv, toEvents } from '../fixtures/klaus.ts';
import { openInstancePlace } from './open-instance.ts';
import type { Answer } from './socket-script.ts';

/** The result, which must have the documented shape and nothing else. */
function resultOf(action: Action, answer: Answer): ReturnType<typeof JSON.parse> {
  expect(answer.error).toBeUndefined();
  expect(RESULTS[action].parse(answer.result)).toEqual(answer.result);
  return answer.result;
}

test('the socket is in the folder of the project, for the user alone, and answers ping and status', async () => {
  await using opened = await openInstancePlace();
  const instance = await opened.open();
  const project = createHash('sha256').update(opened.place.workspace).digest('hex').slice(0, 24);
  expect(instance.project).toBe(project);
  expect(instance.socket).toBe(join(opened.place.home, 'run', project, `${instance.id}.sock`));
  expect(statSync(instance.socket).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(instance.socket)).mode & 0o777).toBe(0o700);
  const script = instance.connect();
  expect(resultOf('ping', await script.ask('ping'))).toMatchObject({ pong: true, instanceId: instance.id });
  expect(resultOf('status', await script.ask('status', {}))).toMatchObject({
    instanceId: instance.id,
    pid: instance.running.pid,
    projectHash: project,
    projectRoot: opened.place.workspace,
    sessionId: null,
    checkoutInProgress: false,
    sessions: [],
  });
});

test('start-agent opens sessions, status waits for them, message continues one', { tags: ['long'] }, async () => {
  await using opened = await openInstancePlace();
  const instance = await opened.open();
  const script = instance.connect();
  const started = resultOf(
    'start-agent',
    await script.ask('start-agent', { agentType: 'programmer', prompt: 'Work.', agentCount: 2 }),
  );
  expect(started.sessions).toHaveLength(2);
  const ids = started.sessions.map(({ sessionId }: { sessionId: string }) => sessionId);
  expect(started).toMatchObject({ sessionId: ids[0], agentType: 'programmer', parentSessionId: null });
  const status = resultOf('status', await script.ask('status', { waitSeconds: 30 }));
  expect(status.sessionId).toBe(ids[0]);
  expect(status.sessions).toMatchObject(ids.map((sessionId: string) => ({ sessionId, status: 'done' })));
  const [, second] = ids;
  const answered = await script.ask('message', { sessionId: second.slice(0, 24), prompt: 'Again.', waitSeconds: 30 });
  expect(resultOf('message', answered)).toMatchObject({ sessionId: second, status: 'done', response: 'Done.' });
  await using klaus = await createKlaus({ cwd: opened.place.workspace, env: toEnv(opened) });
  const events = await Array.fromAsync(klaus.handle(second).events());
  expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(2);
  expect(events[0]).toMatchObject({ type: 'session.opened', agent: 'programmer', instance: instance.id });
});

test(
  'a session started from another one has it as its parent, and checkout without an id returns to it',
  { tags: ['long'] },
  async () => {
    await using opened = await openInstancePlace();
    const instance = await opened.open();
    const script = instance.connect();
    const { sessionId: first } = (await script.ask('start-agent', { agentType: 'orchestrator', prompt: 'Work.' }))
      .result;
    const options = { checkout: true };
    const below = await script.ask('start-agent', { agentType: 'programmer', prompt: 'Work.', options });
    const { sessionId: second, parentSessionId } = resultOf('start-agent', below);
    expect(parentSessionId).toBe(first);
    expect((await script.ask('status')).result.sessionId).toBe(second);
    const back = resultOf('checkout', await script.ask('checkout'));
    expect(back).toEqual({ sessionId: first, previousSessionId: second, claudeSessionId: null });
    const forth = resultOf('checkout', await script.ask('checkout', { sessionId: second, waitSeconds: 30 }));
    expect(forth).toMatchObject({ sessionId: second, previousSessionId: first });
  },
);

test('interrupt cancels a run, and the session can continue', async () => {
  await using opened = await openInstancePlace();
  const script = (await opened.open()).connect();
  const { sessionId } = (await script.ask('start-agent', { agentType: 'klaus', prompt: 'hang' })).result;
  const stopped = resultOf('interrupt', await script.ask('interrupt', { signal: 'SIGTERM' }));
  expect(stopped).toMatchObject({ sessionId, signal: 'SIGTERM', interrupted: true, status: 'interrupted' });
  const next = resultOf('message', await script.ask('message', { prompt: 'Work after that.', waitSeconds: 30 }));
  expect(next).toMatchObject({ sessionId, status: 'done' });
});

test('a session that waits for an approval says so', { tags: ['long'] }, async () => {
  await using opened = await openInstancePlace();
  const script = (await opened.open()).connect();
  await script.ask('start-agent', { agentType: 'klaus', prompt: 'ask', options: { mode: 'ask' } });
  const { sessions } = resultOf('status', await script.ask('status', { waitSeconds: 30 }));
  expect(sessions).toMatchObject([{ status: 'waiting' }]);
});

test('requests for another instance reach it', async () => {
  await using opened = await openInstancePlace();
  const [first, second] = [await opened.open(), await opened.open()];
  const answer = await first.connect().ask('ping', { instanceId: second.id });
  expect(resultOf('ping', answer)).toMatchObject({ instanceId: second.id });
});

test('the file of runtime events continues after a kill in the middle of a line, without a line twice', async () => {
  await using opened = await openInstancePlace();
  const first = await opened.open();
  const { sessionId, logPath } = (await first.connect().ask('start-agent', { agentType: 'klaus', prompt: 'Work.' }))
    .result;
  await first.connect().ask('status', { waitSeconds: 30 });
  const read = (): Record<string, unknown>[] =>
    readFileSync(logPath, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const before = read();
  expect(before.map(({ type }) => type)).toEqual(['status', 'status', 'message', 'message', 'result', 'done']);
  expect(before.at(-2)).toMatchObject({ type: 'result', result: 'Done.', sessionId });
  expect(before.at(-1)).toMatchObject({ type: 'done', status: 'done' });
  first.running.kill('SIGKILL');
  await first.running.ended;
  appendFileSync(logPath, '{"type":"mess');
  const second = await opened.open({ words: ['--id', first.id] });
  const script = second.connect();
  await script.ask('message', { sessionId, prompt: 'Again.', waitSeconds: 30 });
  const after = read();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ type }) => type)).toEqual([
    'status',
    'message',
    'message',
    'result',
    'done',
  ]);
  const keys = after.map(({ seq, part }) => `${String(seq)}.${String(part)}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a command of an instance gets its variables, and the instance ends with it', async () => {
  await using opened = await openInstancePlace();
  const program =
    'process.stdout.write(JSON.stringify([process.env.KLAUS_INSTANCE_ID, process.env.KLAUS_PROJECT_HASH]));process.exit(7)';
  const instance = await opened.open({ words: ['--', process.execPath, '-e', program] });
  const { code, stdout } = await instance.running.ended;
  expect(code).toBe(7);
  expect(JSON.parse(stdout.split('\n')[1]!)).toEqual([instance.id, instance.project]);
});

test(
  'a session that a command of an instance opens records the instance and the current session',
  { tags: ['long'] },
  async () => {
    await using opened = await openInstancePlace();
    const { place, server } = opened;
    const ids = { KLAUS_INSTANCE_ID: '01KE0000000000000000000001', KLAUS_SESSION_ID: '01KE0000000000000000000002' };
    const open = async (env: Record<string, string>) =>
      toEvents((await runKlaus(['run', '--json', 'Work.'], { place, server, env })).stdout)[0];
    expect(await open(ids)).toMatchObject({ instance: ids.KLAUS_INSTANCE_ID, startedBy: ids.KLAUS_SESSION_ID });
    const other = await open({ KLAUS_INSTANCE_ID: '', KLAUS_SESSION_ID: 'a session' });
    expect(other).not.toHaveProperty('instance');
    expect(other).not.toHaveProperty('startedBy');
  },
);

test(
  'a deleted session is no part of the status, and one that another program opened has no file here',
  { tags: ['long'] },
  async () => {
    await using opened = await openInstancePlace();
    const { place, server } = opened;
    const script = (await opened.open()).connect();
    const { sessionId: deleted } = (await script.ask('start-agent', { agentType: 'klaus', prompt: 'Work.' })).result;
    await script.ask('status', { waitSeconds: 30 });
    await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv(opened) });
    expect(await klaus.clearSessions({ ids: [deleted] })).toMatchObject({ cleared: [deleted] });
    expect(resultOf('status', await script.ask('status', { waitSeconds: 30 })).sessions).toEqual([]);
    const other = toEvents((await runKlaus(['run', '--json', 'Work.'], { place, server })).stdout)[0]!.session;
    const answer = await script.ask('message', { sessionId: other, prompt: 'Again.', waitSeconds: 30 });
    expect(resultOf('message', answer)).toMatchObject({ sessionId: other, status: 'done', logPath: null });
    expect(resultOf('checkout', await script.ask('checkout', { sessionId: other }))).toMatchObject({
      previousSessionId: deleted,
    });
  },
);
