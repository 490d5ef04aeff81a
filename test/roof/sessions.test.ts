// Covers apps/cli/commands, apps/cli/daemon, apps/cli/run, adapters/runners: sessions that the daemon works on.
import type { Event } from '@klaus/sdk';
import { describe, expect, test, type TestContext } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, needClaudeCode } from '../fixtures/claude-code.ts';
import { toEvents } from '../fixtures/klaus.ts';
import { createRoof, ENDLESS, type Roof, type RoofOptions, toError, WRITE } from './roof.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

test('three sessions start, are waited for, and report what they did', async () => {
  await using roof = await createRoof();
  const ids = await roof.start('--count', '3');
  expect(ids).toHaveLength(3);
  for (const id of ids) expect(id).toMatch(ID);
  expect(roof.daemons()).toHaveLength(1);
  expect(roof.descriptor()).toMatchObject({ pid: roof.daemons()[0], isDaemon: true });
  const any = await roof.klaus('wait', ...ids, '--any', '--json');
  expect(any.code).toBe(0);
  expect(JSON.parse(any.stdout.split('\n')[0]!)).toMatchObject({ state: 'done', outcome: 'done' });
  const all = await roof.klaus('wait', ...ids, '--json');
  expect(all.code).toBe(0);
  const ended = all.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { session: string }).session);
  expect(new Set(ended)).toEqual(new Set(ids));
  expect(await roof.status(ids[0]!.toLowerCase())).toMatchObject({
    id: ids[0],
    state: 'done',
    agent: 'klaus',
    model: 'anthropic/claude-sonnet-5-5',
    lastLine: 'done.',
    workspace: roof.place.workspace,
    waitsFor: [],
    problem: null,
  });
});

test('start without --detach follows the run, and has its exit code', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const events = await roof.klaus('start', 'klaus', 'do it', '--json');
  expect(events.code).toBe(0);
  expect(toEvents(events.stdout)).toContainEqual(expect.objectContaining({ type: 'run.finished', outcome: 'done' }));
  const limited = await roof.klaus('start', 'klaus', 'do it', '--max-turns', '1');
  expect(limited.code).toBe(5);
});

test('several sessions are followed at once, and each line names its session', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const followed = await roof.klaus('start', 'klaus', 'do it', '--count', '3');
  expect(followed.code).toBe(0);
  const lines = `${followed.stdout}${followed.stderr}`.trim().split('\n');
  for (const line of lines) expect(line).toMatch(/^[0-9A-HJKMNP-TV-Z]{14} {2}/);
  const [first, ...others] = new Set(lines.map((line) => line.slice(0, 14)));
  expect(others).toHaveLength(2);
  expect(followed.stdout.split('\n').filter((line) => line === `${first}  done.`)).toHaveLength(1);
  const limited = await roof.klaus('start', 'klaus', 'do it', '--count', '2', '--max-turns', '1', '--json');
  expect(limited.code).toBe(5);
  const events = limited.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  const ends = events.filter(({ type }) => type === 'run.finished');
  expect(new Set(ends.map(({ session }) => session)).size).toBe(2);
});

test('an interrupted command stops every session that it follows', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: ENDLESS });
  const following = roof.begin('start', 'klaus', 'do it', '--count', '2', '--json');
  await expect
    .poll(
      () =>
        new Set(
          following.text.stdout.match(
            /"type":"turn.started".*?"session":"\w+"|"session":"\w+".*?"type":"turn.started"/g,
          ),
        ).size,
      { timeout: 30_000 },
    )
    .toBeGreaterThanOrEqual(2);
  following.kill('SIGINT');
  expect((await following.ended).code).toBe(130);
  const listed = (await roof.klaus('sessions', '--json')).stdout.trim().split('\n');
  expect(listed.map((line) => (JSON.parse(line) as { status: string }).status)).toEqual(['cancelled', 'cancelled']);
});

test('an unknown agent, and options that a daemon cannot take, are refused', async () => {
  await using roof = await createRoof();
  const unknown = await roof.klaus('start', 'no-such-agent', 'do it', '--detach', '--json');
  expect({ code: unknown.code, error: toError(unknown).code }).toEqual({ code: 2, error: 'usage' });
  expect((await roof.klaus('start', 'klaus', 'do it', '--set', 'model=x')).code).toBe(2);
});

for (const { cases, tags } of splitCases(['klaus', 'claude-code'] as const, 1))
  describe.each(cases)('with the runner %s', { tags }, (runner) => {
    const timeout = runner === 'klaus' ? 60_000 : CLAUDE_CODE_TIMEOUT;
    const open = async (context: TestContext, options: RoofOptions = {}): Promise<Roof> =>
      createRoof({ ...options, claude: runner === 'klaus' ? undefined : await needClaudeCode(context) });

    test('a message steers a run, and starts one in an idle session', { tags: ['long'], timeout }, async (context) => {
      await using roof = await open(context);
      const [id] = await roof.start();
      const steered = await roof.klaus('message', id!, 'and the tests', '--json');
      expect(JSON.parse(steered.stdout)).toEqual({ session: id, delivery: 'steer' });
      expect((await roof.klaus('wait', id!)).code).toBe(0);
      const prompted = await roof.klaus('message', id!, 'and the docs', '--json');
      expect(JSON.parse(prompted.stdout)).toEqual({ session: id, delivery: 'prompt' });
      expect((await roof.klaus('wait', id!)).code).toBe(0);
      expect(await roof.status(id!)).toMatchObject({ state: 'done', lastLine: 'done.', agent: 'klaus' });
      const log = toEvents((await roof.klaus('logs', id!, '--json')).stdout);
      expect(log.filter(({ type }) => type === 'run.finished')).toHaveLength(2);
      expect(log.flatMap(toOrigin)).toEqual(['user', 'steer', 'user']);
    });

    test(
      'interrupt stops several runs, and wait has the exit code of an interruption',
      { tags: ['long'], timeout },
      async (context) => {
        await using roof = await open(context, { script: ENDLESS });
        const ids = await roof.start('--count', '2');
        const stopped = await roof.klaus('interrupt', ...ids, '--json');
        expect(stopped.code).toBe(0);
        expect(stopped.stdout.trim().split('\n')).toHaveLength(2);
        expect((await roof.klaus('wait', ...ids)).code).toBe(130);
        expect(await roof.status(ids[0]!)).toMatchObject({ state: 'failed', outcome: 'cancelled' });
        expect(roof.daemons()).toHaveLength(1);
      },
    );

    test('logs prints the last events, and follows a run to its end', { tags: ['long'], timeout }, async (context) => {
      await using roof = await open(context);
      const [id] = await roof.start();
      const followed = toEvents((await roof.klaus('logs', id!, '-f', '--json')).stdout);
      expect(followed).toContainEqual(expect.objectContaining({ type: 'run.finished', outcome: 'done' }));
      // It is written after the end of the run. Another program does not name its sessions.
      if (runner === 'klaus') await roof.logged(id!, 'session.changed');
      const all = toEvents((await roof.klaus('attach', id!, '--json')).stdout);
      expect(all.slice(0, followed.length)).toEqual(followed);
      const last = toEvents((await roof.klaus('logs', id!, '-n', '2', '--json')).stdout, all.length - 1);
      expect(last).toEqual(all.slice(-2));
    });
  });

function toOrigin(event: Event): string[] {
  return event.type === 'message.added' && ['user', 'steer'].includes(event.message.origin)
    ? [event.message.origin]
    : [];
}

test('--signal reaches a run in another terminal', async () => {
  await using roof = await createRoof({ script: ENDLESS });
  const run = roof.begin('run', 'do it', '--json');
  await run.printed('stdout', 'turn.started');
  const [opened] = run.text.stdout.split('\n');
  const { session } = JSON.parse(opened!) as Event;
  const stopped = await roof.klaus('interrupt', session, '--signal', '--json');
  const { state, pid } = JSON.parse(stopped.stdout) as { state: string; pid?: number };
  // The run can have ended before the command looks.
  expect([state, pid]).toEqual(state === 'stopping' ? ['stopping', run.pid] : ['cancelled', undefined]);
  expect((await run.ended).code).toBe(130);
});

test('a question waits without a process, and its answer continues the session', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: WRITE });
  const [id] = await roof.start('--approve', 'ask');
  const asked = await roof.klaus('wait', id!, '--needs-you', '--json');
  expect(asked.code).toBe(8);
  const status = await roof.status(id!);
  expect(status).toMatchObject({ state: 'needs-you', waitsFor: [{ session: id }] });
  const waiting = roof.begin('wait', id!);
  expect((await roof.klaus('approve', status.waitsFor[0]!.approval)).code).toBe(0);
  expect((await waiting.ended).code).toBe(0);
  expect(await roof.status(id!)).toMatchObject({ state: 'done', lastLine: 'Written.', waitsFor: [] });
});

test(
  'an id that several sessions begin with lists them, and wait reports the end of its time',
  { tags: ['long'] },
  async () => {
    await using roof = await createRoof({ script: ENDLESS });
    const ids = await roof.start('--count', '2');
    for (const command of ['status', 'wait', 'interrupt', 'logs']) {
      const refused = await roof.klaus(command, '0', '--json');
      expect([command, refused.code, toError(refused).code]).toEqual([command, 2, 'usage']);
      for (const id of ids) expect(toError(refused).message).toContain(id);
    }
    const late = await roof.klaus('wait', ...ids, '--timeout', '0.05', '--json');
    expect({ code: late.code, error: toError(late).code }).toEqual({ code: 9, error: 'timeout' });
    expect((await roof.klaus('status', 'nothing', '--json')).code).toBe(2);
  },
);

test('watch prints a line for each change of a session', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const [id] = await roof.start();
  const watch = roof.begin('watch', '--json');
  await watch.printed('stdout', '"state":"done"');
  watch.kill('SIGTERM');
  await watch.ended;
  const states = watch.text.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; state: string });
  expect(new Set(states.map((state) => state.id))).toEqual(new Set([id]));
  expect(states.at(-1)?.state).toBe('done');
});
