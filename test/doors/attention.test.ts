// Covers apps/cli/commands, adapters/store/sqlite/queries: the list of what needs the user, on the command line.
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { MAIN, runKlaus, startKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startServeProcess, untilState } from '../fixtures/server.ts';
import { focusQuestion, hasTmux, openTerminal } from '../fixtures/terminal.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

/** Writes a file, then ends. */
const WRITE: Script = {
  steps: [
    TITLE,
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'It is written.' } },
  ],
};

const ANSWER: Script = { steps: [TITLE], fallback: { text: 'First line.\n\nThe last line.\n' } };

interface Item {
  id: string;
  kind: string;
  session: string;
  line: string;
  commands: string[];
}

type Klaus = (...words: string[]) => ReturnType<typeof runKlaus>;

async function list(klaus: Klaus): Promise<Item[]> {
  const { stdout, code } = await klaus('attention', '--json');
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Item);
}

async function start(script: Script) {
  const place = createTestHome();
  const server = await startServer(script);
  const klaus: Klaus = (...words) => runKlaus(words, { place, server });
  const close = async () => {
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  };
  return { place, server, klaus, [Symbol.asyncDispose]: close };
}

/** Starts a run on a server, which no user interface follows, and waits for its end. */
async function runUnseen({ place, server }: { place: TestHome; server: Awaited<ReturnType<typeof startServer>> }) {
  const serve = await startServeProcess(place, server);
  const { session } = await serve.client.openSession({ body: { text: 'say something' } });
  await untilState(serve.client, session, 'done');
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  return session;
}

test('an approval is listed until it is answered; a run that was followed is not listed', async () => {
  await using it = await start(WRITE);
  const { klaus } = it;
  expect(await list(klaus)).toEqual([]);
  expect(await klaus('next')).toMatchObject({ code: 0, stdout: '' });
  expect(await klaus('write a file')).toMatchObject({ code: 0 });
  expect(await list(klaus)).toEqual([]);

  expect(await klaus('--approve', 'ask', '--on-ask', 'wait', 'write a file')).toMatchObject({ code: 8 });
  const [item, ...others] = await list(klaus);
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    kind: 'call',
    commands: [`klaus approve ${item!.id}`, `klaus reject ${item!.id}`],
  });
  const next = await klaus('next');
  expect(next).toMatchObject({ code: 0 });
  expect(next.stdout).toContain(`klaus approve ${item!.id}`);
  expect(JSON.parse((await klaus('next', '--json')).stdout)).toMatchObject({ id: item!.id, session: item!.session });
  // An approval is no text that was read: a mark does not remove it.
  await klaus('attention', '--seen', 'all');
  expect(await list(klaus)).toHaveLength(1);
  expect(await klaus('approve', item!.id)).toMatchObject({ code: 0 });
  expect(await list(klaus)).toEqual([]);
});

test(
  'a run that no user interface showed is listed until it is shown, or marked as seen',
  { timeout: 60_000, tags: ['long'] },
  async () => {
    await using it = await start(ANSWER);
    const { klaus } = it;
    const session = await runUnseen(it);
    expect(await list(klaus)).toMatchObject([
      { kind: 'done', session, line: 'The last line.', commands: [`klaus show ${session}`] },
    ]);
    // Without a terminal, it is only printed.
    await klaus('next');
    expect(await list(klaus)).toHaveLength(1);
    expect(await klaus('show', session.slice(0, 20))).toMatchObject({ code: 0 });
    expect(await list(klaus)).toEqual([]);

    const other = await runUnseen(it);
    expect(await list(klaus)).toMatchObject([{ session: other }]);
    expect(await klaus('attention', '--seen', other)).toMatchObject({ code: 0 });
    expect(await list(klaus)).toEqual([]);
    expect(await klaus('attention', '--seen', 'none')).toMatchObject({ code: 2 });
  },
);

test.skipIf(!hasTmux)(
  'klaus next asks the oldest approval in the terminal and resumes its session',
  async () => {
    await using it = await start(WRITE);
    const { place, server, klaus } = it;
    await klaus('--approve', 'ask', '--on-ask', 'wait', 'write a file');
    const words = [process.execPath, MAIN, 'next'];
    await using terminal = await openTerminal(words, { env: toEnv({ place, server }), cwd: place.workspace });
    await focusQuestion(terminal);
    await terminal.type('y');
    await terminal.shows('It is written.');
    expect(await terminal.exitCode()).toBe(0);
    expect(await list(klaus)).toEqual([]);
  },
  60_000,
);

test(
  'a failed run and one whose process was killed are listed with the way to resume them',
  { timeout: 60_000, tags: ['long'] },
  async () => {
    const faults = [{ kind: 'status' as const, status: 400, always: true }];
    await using it = await start({ steps: [TITLE, { when: { turn: 0 }, faults, reply: { text: 'never' } }] });
    const { klaus } = it;
    const serve = await startServeProcess(it.place, it.server);
    const { session } = await serve.client.openSession({ body: { text: 'fail' } });
    await untilState(serve.client, session, 'failed');
    expect((await serve.client.attention()).items).toMatchObject([{ kind: 'failed', session, action: 'resume' }]);
    serve.process.kill('SIGTERM');
    await serve.process.ended;
    expect(await list(klaus)).toMatchObject([
      { kind: 'failed', session, commands: [`klaus resume ${session}`, `klaus show ${session}`] },
    ]);
    await klaus('attention', '--seen', 'all');
    expect(await list(klaus)).toEqual([]);

    await using hanging = await startServer({
      steps: [TITLE, { pace: 50, reply: { text: { repeat: 'word ', times: 10_000 } } }],
    });
    const running = startKlaus(['--json', 'say a lot'], { place: it.place, server: hanging });
    await running.printed('stdout', 'turn.started');
    expect(await list(klaus)).toEqual([]);
    running.kill('SIGKILL');
    await running.ended;
    expect(await list(klaus)).toMatchObject([{ kind: 'interrupted' }]);
  },
);
