// Covers adapters/runners, core/agent/runner, apps/cli/run: the program with an agent of another program, and kills.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Event } from '@klaus/sdk';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { toDefinition, toSaid } from '../fixtures/acp-agent.ts';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { MAIN, runKlaus, startKlaus, toEnv, toEvents } from '../fixtures/klaus.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { focusQuestion, hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** A place with the agent as one of the user, which needs no further agreement. */
function createPlace(flags: readonly string[] = []): TestHome {
  const place = createTestHome();
  mkdirSync(join(place.home, 'agents'), { recursive: true });
  writeFileSync(join(place.home, 'agents/other.md'), toDefinition(flags));
  return place;
}

async function readLog(place: TestHome, id: string): Promise<Event[]> {
  return toEvents((await runKlaus(['show', id, '--json'], { place })).stdout);
}

const sandboxes = hasBubblewrap ? ['host', 'bubblewrap'] : ['host'];

for (const { cases, tags } of splitCases(sandboxes, 1))
  test.for(cases)(
    'after SIGKILL of Klaus no process remains, and resume continues (%s)',
    { tags, timeout: 60_000 },
    async (sandbox) => {
      using place = createPlace();
      const mark = `mark-${process.pid}-${sandbox}`;
      // The flag makes the process recognizable.
      writeFileSync(join(place.home, 'agents/other.md'), toDefinition([mark]));
      const env = { KLAUS_SANDBOX: sandbox };
      const klaus = startKlaus(['--agent', 'other', '--json', '-p', 'act README.md changed\nopen a long call\nwait'], {
        place,
        env,
      });
      await klaus.printed('stdout', '"title":"a long call"');
      // It is the second call.
      expect(await eventually(() => klaus.text.stdout.split('"type":"tool.started"').length > 2)).toBe(true);
      expect(findProcesses(mark)).not.toEqual([]);
      klaus.kill('SIGKILL');
      await klaus.ended;
      expect(await eventually(() => findProcesses(mark).length === 0)).toBe(true);
      const [{ session }] = toEvents(klaus.text.stdout.slice(0, klaus.text.stdout.lastIndexOf('\n') + 1)) as [Event];
      const resumed = await runKlaus(['resume', session], { place, env });
      expect(resumed.code).toBe(0);
      const events = await readLog(place, session);
      expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'unknown']);
      expect(ofType(events, 'turn.finished').map(({ stopReason }) => stopReason)).toEqual(['cancelled', 'end_turn']);
      expect(toSaid(events)).toContain('I continue.');
      expect(ofType(events, 'runner.opened').map(({ resumed: isResumed }) => isResumed)).toEqual([false, true]);
      expect(outcomeOf(events)?.outcome).toBe('done');
    },
  );

test('after SIGKILL of the agent the run fails, and its terminals end', { tags: ['long'] }, async () => {
  using place = createPlace();
  const mark = `3600.${process.pid}9`;
  const klaus = startKlaus(['--agent', 'other', '-p', `background sleep ${mark}\ncrash`], { place });
  expect((await klaus.ended).code).toBe(1);
  expect(klaus.text.stderr + klaus.text.stdout).toContain('ended by SIGKILL');
  expect(await eventually(() => findProcesses(mark).length === 0)).toBe(true);
});

test('what is no message of the protocol is not shown', { tags: ['long'] }, async () => {
  using place = createPlace();
  const { code, stdout, stderr } = await runKlaus(['--agent', 'other', '-p', 'garbage\nsay still here'], { place });
  expect({ code, stdout: stdout.includes('still here') }).toEqual({ code: 0, stdout: true });
  expect(stderr).not.toMatch(/GARBAGE|[Ii]nvalid|[Ee]rror|unknown/);
});

test('a second terminal answers while the run waits', { tags: ['long'] }, async () => {
  using place = createPlace();
  const klaus = startKlaus(['--agent', 'other', '--on-ask', 'wait', '-p', 'permit other magic\nsay end'], { place });
  await klaus.printed('stderr', 'klaus approve');
  const approval = /klaus approve ([0-9A-Z]{26})/.exec(klaus.text.stderr)![1]!;
  expect((await runKlaus(['approve', approval], { place })).code).toBe(0);
  expect((await klaus.ended).code).toBe(0);
  expect(klaus.text.stdout).toContain('permission: once');
});

test('klaus agents show lists what the agent cannot hold', async () => {
  using place = createPlace();
  const { stdout } = await runKlaus(['agents', 'show', 'other'], { place });
  expect(stdout).toContain('one gate');
  const { limits } = JSON.parse((await runKlaus(['agents', 'show', 'other', '--json'], { place })).stdout) as {
    limits: { invariant: string }[];
  };
  expect(limits.map(({ invariant }) => invariant)).toContain('replay');
});

test('replay, verify and export of such a session', { tags: ['long'] }, async () => {
  using place = createPlace();
  const { stdout } = await runKlaus(['--agent', 'other', '--json', '-p', 'say one\nrun true'], { place });
  const [{ session }] = toEvents(stdout) as [Event];
  const replayed = await runKlaus(['replay', session], { place });
  expect(replayed.code).not.toBe(0);
  expect(replayed.stdout + replayed.stderr).toContain('cannot be repeated');
  expect((await runKlaus(['audit', 'verify'], { place })).code).toBe(0);
  expect((await runKlaus(['export', session], { place })).stdout).toContain('one');
});

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  test('a question of the agent is asked while it waits', { tags: ['long'] }, async () => {
    using place = createPlace();
    const file = join(place.workspace, 'new.txt');
    await using terminal = await openTerminal(
      [process.execPath, MAIN, '--agent', 'other', '--approve', 'ask', '-p', `edit ${file} brand new\nsay end`],
      { env: toEnv({ place }), cwd: place.workspace },
    );
    const asked = await focusQuestion(terminal);
    expect(asked).toContain('+brand new');
    expect(existsSync(file)).toBe(false);
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    expect(await terminal.shows('permission: once')).toContain('end');
    expect(existsSync(file)).toBe(true);
  });
});
