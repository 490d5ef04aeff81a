// Covers core/agent/children, sdk/sessions, sdk/open: workers, questions below a session, cancel, restart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, type AgentDefinition, type Klaus, type OpenOptions } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

type Call = { name: string; input: Record<string, unknown> };
type Step = { when: Record<string, unknown>; reply: Record<string, unknown> };

const WRITER: AgentDefinition = {
  name: 'writer',
  description: 'Writes.',
  grants: ['fs(., rw) tool(*)'],
  systemPrompt: 'You are WRITER.',
};

const stepsOf = (system: string, turns: readonly (readonly Call[] | string)[]): Step[] =>
  turns.map((turn, at) => ({
    when: { system, turn: at },
    reply: typeof turn === 'string' ? { text: turn } : { calls: turn },
  }));
const WRITES: Step[] = stepsOf('WRITER', [
  [{ name: 'write_file', input: { path: 'b.txt', content: 'new\n' } }],
  'Written.',
]);
const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

async function createTeam(steps: readonly Step[]): Promise<TestEngine> {
  const engine = await createTestEngine({
    script: { price: PRICE, steps: steps as never },
    files: { 'a.txt': 'one\n' },
  });
  await engine.klaus.agents().save(WRITER);
  return engine;
}

/** Replays the logs of a session and of all sessions below it. */
async function replayTree(klaus: Klaus, session: string): Promise<unknown[]> {
  const ids = await klaus.store.tree(session);
  return Promise.all(
    ids.map(async (id) => {
      const replayed = await klaus.handle(id).replay();
      return replayed.outcome === 'equal' ? 'equal' : replayed;
    }),
  );
}

async function open(engine: TestEngine, options: OpenOptions & { onAsk?: 'wait' | 'deny' } = {}) {
  const { onAsk = 'wait', ...given } = options;
  const session = await engine.klaus.open({ grant: 'fs(., r) spawn(1, 4) tool(*)', limits: { usd: 1 }, ...given });
  await session.prompt('Lead.', { onAsk });
  return session;
}

const LEAD_STARTS = stepsOf('^You are Klaus', [
  [{ name: 'spawn_agent', input: { agent: 'writer', task: 'Write b.txt.', narrow: true } }],
  [{ name: 'wait_agents', input: {} }],
  'It is written.',
]);

test('a worker of the user works with its own authority', async () => {
  await using engine = await createTeam([
    ...stepsOf('^You are Klaus', [
      [{ name: 'message_agent', input: { to: 'writer', message: 'Write b.txt.' } }],
      [{ name: 'wait_agents', input: {} }],
      'It is written.',
    ]),
    ...WRITES,
  ]);
  const session = await open(engine, { workers: ['writer'] });
  expect((await session.advance()).state).toBe('idle');
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'child.opened')).toMatchObject([{ edge: 'invoke', agent: 'writer' }]);
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  const [child] = ofType(events, 'child.opened');
  const below = await Array.fromAsync(engine.klaus.handle(child!.child).events());
  expect(ofType(below, 'tool.finished').map(({ name, outcome }) => [name, outcome])).toEqual([['write_file', 'ok']]);
  expect(await replayTree(engine.klaus, session.id)).toEqual(['equal', 'equal']);
});

test('a session that may create no agent learns how to reach its worker', async () => {
  await using engine = await createTeam(LEAD_STARTS);
  const session = await open(engine, { workers: ['writer'], grant: 'fs(., r) tool(*)' });
  await session.advance();
  const [started] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(started).toMatchObject({ outcome: 'error', output: expect.stringContaining('message_agent') });
});

test('a question of a child parks the tree, names the chain, and its answer continues both', async () => {
  await using engine = await createTeam([...LEAD_STARTS, ...WRITES]);
  // The child can only read, so that its write asks.
  const session = await open(engine, { grant: 'fs(., r) spawn(1, 4) tool(*) delegable: fs(., r) tool(*)' });
  const parked = await session.advance();
  expect(parked.state).toBe('parked');
  if (parked.state !== 'parked') return;
  const [child] = ofType(await Array.fromAsync(session.events()), 'child.opened');
  expect(parked.approvals).toMatchObject([
    {
      session: child!.child,
      chain: [{ session: session.id }, { session: child!.child, agent: 'writer' }],
      subject: { kind: 'call', name: 'write_file', escalation: { authorities: [{ kind: 'fs', rights: 'w' }] } },
    },
  ]);
  await engine.klaus.answer(parked.approvals[0]!.approval, 'approved', { scope: 'session' });
  expect(await session.isRunnable()).toBe(true);
  expect((await session.advance()).state).toBe('idle');
  const below = await Array.fromAsync(engine.klaus.handle(child!.child).events());
  expect(ofType(below, 'grant.escalated')).toHaveLength(1);
  expect(ofType(below, 'tool.finished')).toMatchObject([{ outcome: 'ok' }]);
  expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
  expect(await replayTree(engine.klaus, session.id)).toEqual(['equal', 'equal']);
});

test('a tree that was left continues in another process', async () => {
  await using engine = await createTeam([...LEAD_STARTS, ...WRITES]);
  const session = await open(engine, { grant: 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., rw) tool(*)' });
  const stop = new AbortController();
  session.subscribe(0, (event) => event.type === 'child.opened' && stop.abort());
  await session.advance({ signal: stop.signal });
  expect(outcomeOf(await Array.fromAsync(session.events()))).toBeUndefined();
  await engine.klaus.close();
  const again = await createKlaus({
    home: engine.place.home,
    cwd: engine.place.workspace,
    env: engine.place.env,
    settings: { model: 'scripted/test', 'sandbox.driver': 'host' },
    scripted: async () => ({ url: engine.server.url, price: PRICE }),
  });
  const resumed = again.handle(session.id);
  expect((await resumed.advance()).state).toBe('idle');
  const events = await Array.fromAsync(resumed.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(ofType(events, 'child.opened')).toHaveLength(1);
  expect(ofType(events, 'child.closed')).toHaveLength(1);
  expect(await replayTree(again, session.id)).toEqual(['equal', 'equal']);
  await again.close();
});

test('a cancel of the parent ends its children and returns their budgets', async () => {
  await using engine = await createTeam([
    ...LEAD_STARTS,
    { when: { system: 'WRITER' }, reply: { text: 'Late.' }, delay: 60_000 } as never,
  ]);
  const session = await open(engine, { grant: 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., rw) tool(*)' });
  // The parent waits when the child sends its request, which is not answered.
  const requested = Promise.withResolvers<void>();
  session.subscribe(0, (event) => {
    if (event.type !== 'child.opened') return;
    engine.klaus.handle(event.child).subscribe(0, ({ type }) => type === 'turn.started' && requested.resolve());
  });
  const advancing = session.advance();
  await requested.promise;
  await session.send({ type: 'cancel', by: 'test' });
  expect((await advancing).state).toBe('idle');
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'cancelled' });
  const [closed] = ofType(events, 'child.closed');
  const below = await Array.fromAsync(engine.klaus.handle(closed!.child).events());
  expect(below.at(-1)).toMatchObject({ type: 'session.closed' });
  expect(await replayTree(engine.klaus, session.id)).toEqual(['equal', 'equal']);
});

test('what the user approved for a child at a protected place stays', async () => {
  await using engine = await createTeam([
    ...LEAD_STARTS,
    ...stepsOf('WRITER', [
      [{ name: 'write_file', input: { path: '.npmrc', content: 'audit=false\n' } }],
      [{ name: 'run_command', input: { command: 'true' } }],
      'Written.',
    ]),
  ]);
  const all = 'fs(., rwx) exec tool(*)';
  const definition = { ...WRITER, grants: [all] };
  await engine.klaus.agents().save(definition, { replace: true });
  const session = await open(engine, { grant: `${all} spawn(1, 4) delegable: ${all}` });
  const parked = await session.advance();
  if (parked.state !== 'parked') throw new Error('nothing was asked');
  await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
  expect((await session.advance()).state).toBe('idle');
  expect(readFileSync(join(engine.place.workspace, '.npmrc'), 'utf8')).toBe('audit=false\n');
});
