// Covers adapters/sandboxes/background, core/agent/calls: background processes of a session.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { createKlaus, type Session } from '@klaus/sdk';
import { expect } from 'vitest';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

type Calls = NonNullable<Script['steps'][number]['reply']['calls']>;

const SETTINGS = { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual' } as const;

/** Greets, echoes its input, and ends at "bye". */
const PARROT = 'echo up; while read -r line; do echo "heard $line"; [ "$line" != bye ] || exit 3; done';

function createEngine(turns: readonly Calls[], settings = {}, before: Script['steps'] = []): Promise<TestEngine> {
  return createTestEngine({
    settings: { ...SETTINGS, ...settings },
    script: {
      steps: [
        ...before,
        ...turns.map((calls, turn) => ({ when: { turn }, reply: { calls } })),
        { when: { turn: turns.length }, reply: { text: 'Done.' } },
      ],
      fallback: { text: 'Nothing more.' },
    },
  });
}

async function run(session: Session): Promise<string[]> {
  await session.prompt('Go.');
  await session.advance();
  return ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ output }) => output);
}

const start = (command: string, more = {}): Calls => [
  { name: 'run_command', input: { command, background: true, ...more } },
];
const output = (input: object): Calls => [{ name: 'process_output', input: input as Calls[number]['input'] }];
const control = (input: object): Calls => [{ name: 'process_control', input: input as Calls[number]['input'] }];

test('a process is started, read, spoken to, listed and stopped by the model', async () => {
  await using engine = await createEngine([
    start(PARROT),
    output({ process: 'p1', waitFor: 'up' }),
    control({ process: 'p1', input: 'hello\n' }),
    output({ process: 'p1', since: 3, waitFor: 'heard hello' }),
    start('sleep 1000', { survive: true }),
    output({}),
    control({ process: 'p2', stop: true }),
    control({ process: 'p1', input: 'bye\n' }),
    output({ process: 'p1', waitFor: 'exit' }),
    output({ process: 'p9' }),
  ]);
  const session = await engine.klaus.open();
  const said = await run(session);
  expect(said[0]).toContain('p1');
  expect(said[1]).toMatch(/^p1: running\nup\n\[.*\b0\b.*\b3\b.*\b3\]$/);
  expect(said[3]).toMatch(/^p1: running\nheard hello\n\[.*\b3\b.*\b15\b.*\b15\]$/);
  // The model is informed that p2 survives.
  expect(said[4]).toContain('p2');
  expect(said[4]).not.toBe(said[0]!.replace('p1', 'p2'));
  const listed = said[5]!.split('\n');
  expect(listed).toEqual([
    expect.stringMatching(/^p1: running, 15\b/),
    expect.stringMatching(/^p2: running, 0\b.*: sleep 1000$/),
  ]);
  expect(listed[0]).toContain(`: ${PARROT.slice(0, 100)}`);
  expect(said[6]).toContain('p2: stopped');
  expect(said[8]).toMatch(/^p1: exited .*\b3\nup\nheard hello\nheard bye\n\[.*\b0\b.*\b25\b.*\b25\]$/);
  expect(said[9]).toContain('p1, p2');
  const changes = ofType(await Array.fromAsync(session.events()), 'process.changed');
  expect(changes.map(({ process, state, survives, exitCode }) => [process, state, survives, exitCode])).toEqual([
    ['p1', 'started', false, undefined],
    ['p2', 'started', true, undefined],
    ['p2', 'stopped', true, undefined],
    ['p1', 'exited', false, 3],
  ]);
  expect(findProcesses(engine.place.home)).toEqual([]);
});

test(
  'the model is informed when a process ends by itself, once and between two turns',
  { tags: ['long'] },
  async () => {
    await using engine = await createEngine([
      start('until [ -e go ]; do sleep 0.01; done; exit 4'),
      [{ name: 'write_file', input: { path: 'go', content: '' } }],
      output({ process: 'p1', waitFor: 'exit' }),
    ]);
    const session = await engine.klaus.open();
    await run(session);
    const notices = (await Array.fromAsync(session.events())).flatMap((event) =>
      event.type === 'message.added' && event.message.origin === 'engine' ? event.message.parts : [],
    );
    expect(notices).toEqual([{ type: 'text', text: expect.stringMatching(/\bp1 \(until .*\) exited\b.*\b4\b/) }]);
    expect(engine.server.requests.at(-1)!.body).toMatch(/\bp1 \(until [^"]*\) exited\b[^"]*\b4\b/);
  },
);

test(
  'what is not marked ends with its Klaus and the log says so; the next run begins with it',
  { tags: ['long'] },
  async () => {
    await using engine = await createEngine([start('sleep 1000'), start('echo up; sleep 1000', { survive: true })]);
    const session = await engine.klaus.open();
    await run(session);
    expect(engine.klaus.processes(session.id).map(({ state }) => state)).toEqual(['running', 'running']);
    await engine.klaus.close();

    await using later = await createKlaus({
      home: engine.place.home,
      cwd: engine.place.workspace,
      env: engine.place.env,
      settings: { model: 'scripted/test', ...SETTINGS },
      scripted: async () => ({ url: engine.server.url }),
    });
    const again = await later.session(session.id);
    expect(ofType(await Array.fromAsync(again.events()), 'process.changed').at(-1)).toMatchObject({
      process: 'p1',
      state: 'stopped',
      reason: expect.stringContaining('Klaus'),
    });
    expect(later.processes().map(({ id, state }) => `${id} ${state}`)).toEqual(['p1 stopped', 'p2 running']);
    await again.prompt('And now?');
    await again.advance();
    expect(engine.server.requests.at(-1)!.body).toContain('p1 (sleep 1000)');
    expect(await (await later.process('p2')).read({ from: 0 })).toMatchObject({ text: 'up\n' });
    expect(await (await later.process(`${session.id}/p2`)).stop({ by: 'a test' })).toMatchObject({
      status: { state: 'stopped', reason: expect.stringContaining('a test') },
      logged: true,
    });
    expect(ofType(await Array.fromAsync(again.events()), 'process.changed').at(-1)).toMatchObject({
      process: 'p2',
      state: 'stopped',
    });
    expect(await later.store.verify(session.id)).toMatchObject({ intact: true });
  },
);

test('the gate judges a command in the background, and what is written to it, like any other', async () => {
  await using engine = await createEngine([
    start('git push --force'),
    start('sh'),
    control({ process: 'p1', input: 'git push --force\n' }),
    control({ process: 'p1', input: 'echo fine > fine.txt; exit\n' }),
    output({ process: 'p1', waitFor: 'exit' }),
  ]);
  const session = await engine.klaus.open();
  const said = await run(session);
  expect(said[0]).toMatch(/^Denied \(shell\)/);
  expect(said[2]).toMatch(/^Denied \(shell\)/);
  expect(said[4]).toMatch(/\bp1: exited\b.*\b0\b/);
  expect(existsSync(join(engine.place.workspace, 'fine.txt'))).toBe(true);
});

test(
  'an approver of scripts for the network is informed of processes that can exchange them, each time',
  { tags: ['long'] },
  async () => {
    const deploy: Calls = [{ name: 'run_command', input: { command: 'sh deploy.sh', network: true } }];
    const local: Calls = [{ name: 'run_command', input: { command: 'sh deploy.sh' } }];
    const write: Calls = [{ name: 'write_file', input: { path: 'deploy.sh', content: 'echo deployed\n' } }];
    await using engine = await createEngine([write, deploy, deploy, start('sleep 1000'), local, deploy], {}, [
      { when: { turn: 0, user: 'Wait' }, reply: { calls: start('sleep 1000') } },
    ]);
    const session = await engine.klaus.open();
    await session.prompt('Go.', { onAsk: 'wait' });
    const ask = async () => {
      const result = await session.advance();
      return result.state === 'parked' ? result.approvals[0]?.approval : undefined;
    };
    const rivals = async (): Promise<unknown[]> =>
      ofType(await Array.fromAsync(session.events()), 'approval.asked').map(
        ({ subject }) => subject.kind === 'call' && subject.rivals,
      );
    await engine.klaus.answer((await ask())!, 'approved', { scope: 'session' });
    // The second one passes; the third meets p1.
    const again = (await ask())!;
    expect(await rivals()).toEqual([undefined, ['p1']]);
    const other = await engine.klaus.open();
    await other.prompt('Wait.');
    await other.advance();
    await engine.klaus.answer(again, 'approved', { scope: 'session' });
    const third = (await ask())!;
    expect(third).not.toBe(again);
    expect(await rivals()).toEqual([undefined, ['p1'], expect.arrayContaining(['p1', `${other.id}/p1`])]);
  },
);

test('a remembered approval in the foreground does not hold in the background, nor that for one that survives', async () => {
  const call = (more = {}): Calls => [
    { name: 'run_command', input: { command: 'sh done.sh', network: true, ...more } },
  ];
  const ended = (process: string): Calls => output({ process, waitFor: 'exit' });
  const background = { background: true };
  await using engine = await createEngine([
    [{ name: 'write_file', input: { path: 'done.sh', content: 'exit 0\n' } }],
    call(),
    call(),
    call(background),
    ended('p1'),
    call(background),
    ended('p2'),
    call({ ...background, survive: true }),
  ]);
  const session = await engine.klaus.open();
  await session.prompt('Go.', { onAsk: 'wait' });
  for (;;) {
    const result = await session.advance();
    if (result.state !== 'parked') break;
    await engine.klaus.answer(result.approvals[0]!.approval, 'approved', { scope: 'session' });
  }
  // The approval of turn 2 was given before a command had the network, whose text can be of others.
  expect(ofType(await Array.fromAsync(session.events()), 'approval.asked').map(({ turn }) => turn)).toEqual([
    2, 3, 4, 8,
  ]);
});

test(
  'where changes are looked at before they are kept, and without bubblewrap, it is refused with the reason',
  { tags: ['long'] },
  async () => {
    for (const [settings, why] of [
      [{ isolate: true }, 'isolated'],
      [{ requirePatchApproval: true }, 'approval'],
      [{ 'sandbox.driver': 'host' }, 'bubblewrap'],
    ] as const) {
      await using engine = await createEngine([start('touch ran')], settings);
      const session = await engine.klaus.open();
      const said = await run(session);
      expect(said[0]).toContain(why);
      expect(said[0]).toContain('background');
      expect(existsSync(join(engine.place.workspace, 'ran'))).toBe(false);
      expect(engine.klaus.processes()).toEqual([]);
    }
  },
);

test('secrets do not leave the files of a process', async () => {
  await using engine = await createEngine([
    start('sleep 0; cat .env.example; cat key; sleep 1000'),
    output({ process: 'p1', waitFor: 'end' }),
  ]);
  const key = `AKIA${'QWERTYUIOPASDFGH'}`;
  writeFileSync(join(engine.place.workspace, 'key'), `${key}\nend\n`);
  const session = await engine.klaus.open();
  const said = await run(session);
  expect(said[1]).toContain('end');
  expect(said[1]).not.toContain(key);
  const { text } = await (await engine.klaus.process('p1')).read({ from: 0 });
  expect(text).toContain('end');
  expect(text).not.toContain(key);
});

test('deleting a session ends what it left running and removes what that wrote', { tags: ['long'] }, async () => {
  await using engine = await createEngine([start('sleep 1000', { survive: true })]);
  const session = await engine.klaus.open();
  await run(session);
  expect(findProcesses(join(engine.place.home, 'processes')).length).toBeGreaterThan(0);
  expect((await engine.klaus.clearSessions()).cleared).toEqual([session.id]);
  expect(await eventually(() => findProcesses(join(engine.place.home, 'processes')).length === 0)).toBe(true);
  expect(existsSync(join(engine.place.home, 'processes', session.id))).toBe(false);
  expect(outcomeOf(await Array.fromAsync(session.events()))).toBeUndefined();
});
