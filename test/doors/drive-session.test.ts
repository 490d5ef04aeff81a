// Covers sdk/client: a session that stays advanced, on this machine and at a server.
import { renameSync } from 'node:fs';
import { createKlaus, type Event, type Script } from '@klaus/sdk';
import { driveSession, type DrivenSession, type DriveState, type SessionClient } from '@klaus/sdk/client';
import { expect, test } from 'vitest';
import { connectHttpClient } from '../../apps/cli/client/http/http-client.ts';
import { createLocalClient } from '../../apps/cli/client/local-client.ts';
import { runKlaus, startKlaus, startServer, toEnv, untilRequest } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

type ModelServer = Awaited<ReturnType<typeof startServer>>;

const WRITE: Script = {
  steps: [
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'Written.' } },
  ],
  fallback: { text: 'Again.' },
};

const HANGING: Script = {
  steps: [
    { when: { user: 'after that' }, reply: { text: 'Done.' } },
    {
      when: { user: 'hang' },
      reply: { text: 'Not complete.' },
      faults: [{ kind: 'hang', after: 1, keepAlive: false }],
    },
  ],
  fallback: { text: 'Done.' },
};

/** Follows a driven session into lists. */
async function drive(client: SessionClient, session: string, after = 0) {
  const events: Event[] = [];
  const states: DriveState[] = [];
  const watchers = new Set<() => void>();
  const wake = (): void => watchers.forEach((watcher) => watcher());
  const driven = await driveSession(client, {
    session,
    after,
    onEvent: (event) => (events.push(event), wake()),
    onState: (state) => (states.push(state), wake()),
  });
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.add(resolve);
      await promise;
      watchers.delete(resolve);
    }
  };
  return {
    driven,
    events,
    states,
    names: () => states.map(({ state }) => state),
    untilEvent: (type: Event['type']) => until(() => events.find((event) => event.type === type)),
    untilState: (state: DriveState['state']) => until(() => states.find((it) => it.state === state)),
  };
}

const openLocal = async (place: TestHome, server: ModelServer): Promise<SessionClient> => {
  const klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: toEnv({ place, server }) });
  return createLocalClient(klaus, () => {});
};

const send = (driven: DrivenSession, text: string) =>
  driven.send({ parts: [{ type: 'text', text }], onAsk: 'wait', delivery: 'steer' });

const open = (client: SessionClient, place: TestHome, mode?: 'ask') =>
  client.open({ parts: [], onAsk: 'wait', mode, workspace: place.workspace });

test('a prompt is worked on until nothing is left to do, and each event is reported once', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  await using client = await openLocal(place, server);
  const { driven, events, states, names } = await drive(client, await open(client, place));
  await send(driven, 'write');
  expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  expect(names()).toEqual(['working', 'idle']);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  await send(driven, 'and again');
  await driven.settled();
  expect(states.at(-1)).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(2);
  await driven.dispose();
});

test('a run whose end was reported counts as seen, and so does one that was shown before', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  await using client = await openLocal(place, server);
  const session = await open(client, place);
  const first = await drive(client, session);
  await send(first.driven, 'write');
  await first.driven.settled();
  await first.driven.dispose();
  expect((await client.attention()).items).toEqual([]);

  // Without a user interface.
  await client.prompt(session, { parts: [{ type: 'text', text: 'again' }], onAsk: 'wait', delivery: 'queue' });
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: toEnv({ place, server }) });
  await klaus.handle(session).advance();
  expect((await client.attention()).items).toMatchObject([{ session, kind: 'done' }]);
  const events = await Array.fromAsync(client.events(session));
  const second = await drive(client, session, events.at(-1)!.seq);
  await second.driven.dispose();
  expect((await client.attention()).items).toEqual([]);
});

test(
  'an approval that another process answers ends the wait, and a late answer has no effect',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using client = await openLocal(place, server);
    const { driven, names, untilState } = await drive(client, await open(client, place, 'ask'));
    await send(driven, 'write');
    const parked = await driven.settled();
    if (parked.state !== 'parked') throw new Error(parked.state);
    const { approval } = parked.approvals[0]!;
    expect((await runKlaus(['approve', approval], { place, server })).code).toBe(0);
    expect(await untilState('idle')).toMatchObject({ finished: { outcome: 'done' } });
    expect(names().filter((name) => name !== 'busy')).toEqual(['working', 'parked', 'idle']);
    expect(await driven.answer(approval, 'rejected')).toBe(false);
    await driven.dispose();
  },
);

test('an answer continues the run', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  await using client = await openLocal(place, server);
  const { driven, states } = await drive(client, await open(client, place, 'ask'));
  await send(driven, 'write');
  const parked = await driven.settled();
  if (parked.state !== 'parked') throw new Error(parked.state);
  expect(await driven.answer(parked.approvals[0]!.approval, 'approved')).toBe(true);
  await driven.settled();
  expect(states.map(({ state }) => state)).toEqual(['working', 'parked', 'working', 'idle']);
  await driven.dispose();
});

test('a session of another process is followed, and continued after a kill of that process', async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using client = await openLocal(place, server);
  const session = await open(client, place);
  const { driven, untilEvent, untilState, states } = await drive(client, session);
  const other = startKlaus(['run', '--json', '--session', session, 'hang'], { place, server });
  await untilEvent('turn.started');
  driven.kick();
  await untilState('busy');
  // The fault of the script is for the first request.
  await untilRequest(server);
  other.kill('SIGKILL');
  await other.ended;
  expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  expect(states.map(({ state }) => state)).toEqual(['working', 'busy', 'idle']);
  await driven.dispose();
});

test('a run is cancelled, and the next prompt starts another one', async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using client = await openLocal(place, server);
  const { driven, untilEvent } = await drive(client, await open(client, place));
  await send(driven, 'hang');
  await untilEvent('turn.started');
  await driven.cancel('Enough.');
  expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'cancelled' } });
  await send(driven, 'after that');
  expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  await driven.dispose();
});

test('an error is reported, and the next request tries again', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  await using client = await openLocal(place, server);
  const session = await open(client, place);
  const { driven } = await drive(client, session);
  renameSync(place.workspace, `${place.workspace}-elsewhere`);
  driven.kick();
  const idle = await driven.settled();
  expect(idle.state).toBe('idle');
  await send(driven, 'write');
  expect(await driven.settled()).toMatchObject({ state: 'failed', error: { code: 'workspace.missing' } });
  renameSync(`${place.workspace}-elsewhere`, place.workspace);
  driven.kick();
  expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  await driven.dispose();
});

test(
  'at a server, each prompt is followed to its end, and an answer of another client is seen',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    const saved = { ...process.env };
    process.env['KLAUS_SERVER_TOKEN'] = serve.headers['authorization']!.replace('Bearer ', '');
    await using client = await connectHttpClient({ server: serve.url }, () => {});
    process.env = saved;
    const { driven, states, events, untilEvent } = await drive(client, await open(client, place, 'ask'));
    await send(driven, 'write');
    const parked = await driven.settled();
    if (parked.state !== 'parked') throw new Error(parked.state);
    const { approval } = parked.approvals[0]!;
    await serve.client.answer({ params: { id: approval }, body: { answer: 'approved' } });
    await untilEvent('run.finished');
    await driven.settled();
    expect(await driven.answer(approval, 'rejected')).toBe(false);
    for (const text of ['second', 'third']) {
      await send(driven, text);
      expect(await driven.settled()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
    }
    expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(3);
    expect(states.filter(({ state }) => state === 'failed')).toEqual([]);
    await driven.dispose();
    serve.process.kill('SIGTERM');
    await serve.process.ended;
  },
);
