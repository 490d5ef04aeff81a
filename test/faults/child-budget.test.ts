// Covers core/agent/children, core/agent/budget, sdk/sessions: trees of child sessions that are killed.
import { createModelServer, type ModelServer, type Script } from '@klaus/adapters/models';
import type { Klaus } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { untilRequest } from '../fixtures/klaus.ts';
import { createChance } from '../undo/chance.ts';
import { findMismatches } from './tree/books.ts';
import { setTrap } from './tree/kill.ts';
import { openKlaus, openRoot, type TreeOrder } from './tree/open-klaus.ts';
import { createPlan, type TreePlan } from './tree/plan.ts';
import { runProcess } from './tree/run-process.ts';
import { runTree, type TreeResult } from './tree/run-tree.ts';

/** Number of trees, those of them whose kills are a real SIGKILL, and the first seed. */
const TREES = Number(process.env['TREES'] ?? 10);
const REAL = Number(process.env['TREE_KILLS'] ?? 1);
const SEED = Number(process.env['TREE_SEED'] ?? 1);
/** Trees at the same time. */
const WORKERS = 4;

/** The trees whose accounts do not balance, with what is wrong. */
async function findWrong(count: number, options: { isReal: boolean }): Promise<string[]> {
  const seeds = Array.from({ length: count }, (_, index) => SEED + index);
  const results: TreeResult[] = [];
  const worker = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      results.push(await runTree(seed, options).catch((error: unknown) => toFailure(seed!, error)));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  if (count > 100 || options.isReal) report(results);
  const wrong = results.filter((result) => result.wrong.length > 0);
  return wrong.map(
    ({ seed, kills, wrong: all }) => `TREE_SEED=${seed} (${kills.join(', ')}): ${all.slice(0, 4).join('; ')}`,
  );
}

function toFailure(seed: number, error: unknown): TreeResult {
  return { seed, kills: [], sessions: 0, depth: 0, wrong: [String((error as Error).stack)] };
}

function report(results: readonly TreeResult[]): void {
  const kills = Map.groupBy(
    results.flatMap((result) => result.kills),
    (kill) => kill,
  );
  const depths = Map.groupBy(results, ({ depth }) => depth);
  console.log(
    [
      `${results.length} trees, ${results.reduce((sum, { sessions }) => sum + sessions, 0)} sessions`,
      `generations: ${[...depths]
        .map(([depth, all]) => `${depth}: ${all.length}`)
        .toSorted()
        .join(', ')}`,
      ...[...kills].map(([kill, all]) => `${kill}: ${all.length}`).toSorted(),
      `wrong: ${results.filter(({ wrong }) => wrong.length > 0).length}`,
    ].join('\n'),
  );
}

test(`the budgets of ${TREES} trees balance to the cent when their process ends at any event`, async () => {
  expect(await findWrong(TREES, { isReal: false })).toEqual([]);
}, 7_200_000);

test(`the budgets of ${REAL} trees balance to the cent after SIGKILL`, { timeout: 3_600_000 }, async () => {
  expect(await findWrong(REAL, { isReal: true })).toEqual([]);
});

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** A first agent that waits for a child, and a child with these answers. */
function toPair(steps: Script['steps'], given: { budget?: Record<string, number> } = {}): TreePlan {
  const { definitions } = createPlan(createChance(1));
  const lead = [
    [{ name: 'spawn_agent', input: { agent: 'n-1', task: 'Work.', ...given } }],
    [{ name: 'wait_agents', input: {} }],
  ].map((calls, turn) => ({ when: { system: 'You are N\\.', turn }, reply: { calls } }));
  return {
    definitions: definitions.filter(({ name }) => name === 'n' || name === 'n-1'),
    script: { price: PRICE, maxOutputTokens: 2_048, steps: [...lead, ...steps], fallback: { text: 'Done.' } },
    root: 'n',
    limits: { usd: 2 },
    isPromptedAgain: false,
  };
}

const OF_CHILD = { system: 'You are N-1\\.' };

interface Pair {
  klaus: Klaus;
  root: string;
  order: TreeOrder;
  server: ModelServer;
}

async function withPair(plan: TreePlan, use: (pair: Pair) => Promise<void>): Promise<void> {
  using place: TestHome = createTestHome();
  const server = await createModelServer({ script: plan.script });
  const order = { home: place.home, workspace: place.workspace, url: server.url, seed: 1 };
  const klaus = await openKlaus(order, plan, place.env);
  try {
    await use({ klaus, root: await openRoot(klaus, plan), order, server });
  } finally {
    await klaus.close();
    await server.close();
  }
}

test('the call that starts a child leaves one tool call less for it', async () => {
  const plan = toPair([], { budget: { tool_calls: 9 } });
  await withPair({ ...plan, limits: { usd: 2, toolCalls: 4 } }, async ({ klaus, root }) => {
    const session = klaus.handle(root);
    await session.advance();
    const [opened] = ofType(await Array.fromAsync(session.events()), 'child.opened');
    expect(opened!.limits.toolCalls).toBe(3);
    expect(await findMismatches(klaus, root)).toEqual([]);
  });
});

test('a child that another process holds is continued when that process dies', async () => {
  await withPair(
    toPair([{ when: OF_CHILD, reply: { text: 'Answer.' }, delay: 400 }]),
    async ({ klaus, root, order, server }) => {
      const session = klaus.handle(root);
      const trap = setTrap(klaus.store, { kill: { at: 'tool.waiting', when: 'after', nth: 1, way: 'leave' } });
      await session.advance({ signal: trap.signal });
      trap.remove();
      const [opened] = ofType(await Array.fromAsync(session.events()), 'child.opened');
      const seen = server.requests.length;
      // The first one is that of the attempt of this process.
      const kill = { at: 'model.attempted', when: 'before', nth: 2, way: 'crash' } as const;
      const other = runProcess({ ...order, session: opened!.child, kill });
      // It holds the child from its request until its death, but it also claims it for a moment before.
      await untilRequest(server, ({ index }) => index >= seen);
      await session.advance();
      expect(await other).toBe(true);
      expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
      expect(await findMismatches(klaus, root)).toEqual([]);
    },
  );
});

test('a cancel ends a run that waits for a child whose model does not answer', { tags: ['long'] }, async () => {
  const hang = { kind: 'hang', after: 1, keepAlive: true, always: true } as const;
  await withPair(toPair([{ when: OF_CHILD, reply: { text: 'Answer.' }, faults: [hang] }]), async ({ klaus, root }) => {
    const session = klaus.handle(root);
    const unlisten = session.subscribe(0, (event) => {
      if (event.type === 'tool.waiting') void session.send({ type: 'cancel' });
    });
    await session.advance();
    unlisten();
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'cancelled' });
    expect(await findMismatches(klaus, root)).toEqual([]);
  });
});
