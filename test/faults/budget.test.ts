// Covers core/agent/budget: budgets over crashes.
import type { Script } from '@klaus/adapters/models';
import { NO_LIMITS, toCountedTokens, type Event, type Limits, type Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

/** Number of histories; more with BUDGET_HISTORIES. */
const HISTORIES = Number(process.env['BUDGET_HISTORIES'] ?? 5);
const STEPS = 14;
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
/** Dollars are sums of floating-point numbers. */
const CENT_OF_A_CENT = 1e-4;

/** Pseudo-random integers below `below` (mulberry32). */
type Chance = (below: number) => number;

function createChance(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Some answers read files, some end the run; requests fail in every way that takes little time. */
function toScript(chance: Chance): Script {
  const faults = (): NonNullable<Script['steps'][number]['faults']> => {
    switch (chance(6)) {
      case 0:
        return [{ kind: 'reset', after: 1 }];
      case 1:
        return [{ kind: 'status', status: 529 }];
      case 2:
        return [
          { kind: 'truncate', after: 2 },
          { kind: 'reset', after: 0 },
        ];
      case 3:
        return [{ kind: 'error', after: 1, status: 529 }];
      default:
        return [];
    }
  };
  const turns = Array.from({ length: 40 }, (_, turn) => ({
    when: { turn, tools: true },
    reply:
      chance(4) === 0
        ? { text: 'word '.repeat(20 + chance(200)) }
        : { text: 'I read on.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
    faults: faults(),
  }));
  const small = { when: { tools: false }, reply: { text: 'A title\nAnd a sentence.' }, faults: faults() };
  const read = { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] };
  // Over Responses, the reasoning is hidden.
  const wire = chance(2) === 0 ? 'responses' : 'anthropic';
  return {
    price: PRICE,
    wire,
    contextWindow: 12_000,
    maxOutputTokens: 1_500,
    steps: [small, ...turns],
    fallback: read,
  };
}

/** Continues until the run is finished, or stops at an event like a crash. */
async function advance(session: Session, chance: Chance): Promise<void> {
  const controller = new AbortController();
  let left = chance(3) === 0 ? Infinity : 1 + chance(12);
  const last = (await Array.fromAsync(session.events())).at(-1)!.seq;
  const stop = session.subscribe(last, () => {
    left -= 1;
    if (left === 0) controller.abort();
  });
  await session.advance({ signal: controller.signal });
  stop();
}

async function act(session: Session, { klaus }: TestEngine, chance: Chance): Promise<void> {
  const onAsk = chance(2) === 0 ? 'wait' : 'deny';
  const events = await Array.fromAsync(session.events());
  const answered = new Set(ofType(events, 'approval.answered').map(({ approval }) => approval));
  const open = ofType(events, 'approval.asked').find(({ approval }) => !answered.has(approval));
  switch (chance(8)) {
    case 0:
    case 1:
      await session.prompt(`say ${'more '.repeat(chance(60))}`, { onAsk });
      break;
    case 2:
      await session.send({ type: 'resume', onAsk });
      break;
    case 3:
      await session.send({ type: 'cancel' });
      break;
    case 4: {
      const limits = limitsAt(events);
      await session.send({ type: 'limits', limits: { tokens: limits.tokens + chance(8_000) } });
      break;
    }
    default:
      if (open) await klaus.answer(open.approval, chance(4) === 0 ? 'rejected' : 'approved', { raise: true });
  }
  await advance(session, chance);
}

function limitsAt(events: readonly Event[]): Limits {
  let limits: Limits = NO_LIMITS;
  for (const event of events) {
    if (event.type === 'session.opened' || event.type === 'session.changed') limits = { ...limits, ...event.limits };
  }
  return limits;
}

/** Computes the spent amount from the log alone, without the ledger. */
function audit(events: readonly Event[]): { tokens: number; usd: number; intents: number } {
  const spent = { tokens: 0, usd: 0, intents: 0 };
  const held = { tokens: 0, usd: 0 };
  let open: { tokens: number; usd: number | null } | undefined;
  for (const [at, event] of events.entries()) {
    if (event.type === 'turn.started' || event.type === 'model.requested') {
      const limits = limitsAt(events.slice(0, at));
      expect(open, `two requests at once at ${event.seq}`).toBeUndefined();
      open = event.reserved;
      spent.intents += 1;
      if (limits.tokens > 0) {
        expect(spent.tokens + held.tokens + open.tokens, `tokens at ${event.seq}`).toBeLessThanOrEqual(limits.tokens);
      }
      if (limits.usd > 0) {
        const usd = spent.usd + held.usd + open.usd!;
        expect(usd, `dollars at ${event.seq}`).toBeLessThanOrEqual(limits.usd + CENT_OF_A_CENT);
      }
    } else if (event.type === 'model.attempted') {
      const tokens = toCountedTokens(event.usage);
      if (tokens > 0) {
        expect(open, `charged without a reservation at ${event.seq}`).toBeDefined();
        expect(tokens, `charged at ${event.seq}`).toBeLessThanOrEqual(open!.tokens);
        expect(event.usd!, `charged at ${event.seq}`).toBeLessThanOrEqual(open!.usd! + CENT_OF_A_CENT);
        if (event.outcome === 'abandoned') expect({ tokens, usd: event.usd }).toEqual(open);
        if (event.held) {
          expect(tokens + event.held.tokens, `held at ${event.seq}`).toBe(open!.tokens);
          expect(event.usd! + event.held.usd!, `held at ${event.seq}`).toBeCloseTo(open!.usd!, 9);
        }
      }
      held.tokens += event.held?.tokens ?? 0;
      held.usd += event.held?.usd ?? 0;
      open = undefined;
      spent.tokens += tokens;
      spent.usd += event.usd!;
    }
  }
  return spent;
}

function total(
  rows: readonly { inputTokens: number; outputTokens: number; cacheWriteTokens: number; usd: number | null }[],
) {
  return rows.reduce(
    (sum, row) => ({
      tokens: sum.tokens + row.inputTokens + row.outputTokens + row.cacheWriteTokens,
      usd: sum.usd + row.usd!,
    }),
    { tokens: 0, usd: 0 },
  );
}

test('in any history no request exceeds the budget, and all sums are equal', async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const chance = createChance(seed);
    await using engine = await createTestEngine({
      files: { 'a.txt': 'a line of a file\n'.repeat(1 + chance(150)) },
      script: toScript(chance),
      settings: { 'retry.attempts': 3 },
    });
    const { klaus, server } = engine;
    const limits = { tokens: 4_000 + chance(20_000), usd: chance(2) === 0 ? 0 : 0.05 + chance(20) / 100, toolCalls: 0 };
    const session = await klaus.open({ limits });
    await session.prompt('begin', { onAsk: chance(2) === 0 ? 'wait' : 'deny' });
    for (let step = 0; step < STEPS; step++) await act(session, engine, chance);
    const events = await Array.fromAsync(session.events());
    const spent = audit(events);
    const where = `seed ${seed}`;
    expect(server.requests.filter(({ method }) => method === 'POST').length, where).toBeLessThanOrEqual(spent.intents);
    const report = await klaus.usage({ session: session.id });
    for (const by of ['day', 'model', 'session'] as const) {
      const sums = total((await klaus.usage({ session: session.id, by })).rows);
      expect(sums.tokens, where).toBe(spent.tokens);
      expect(sums.usd, where).toBeCloseTo(spent.usd, 9);
    }
    const [tokens, usd] = report.budget!;
    const isOpen = report.reserved.length > 0;
    expect(tokens, where).toMatchObject({ spent: spent.tokens, cap: limitsAt(events).tokens, lent: 0 });
    expect(tokens!.reserved! > 0, where).toBe(isOpen);
    expect(usd!.spent, where).toBeCloseTo(spent.usd, 9);
    const row = (await klaus.store.session(session.id))!;
    expect(row.inputTokens + row.outputTokens + row.cacheWriteTokens, where).toBe(spent.tokens);
    expect(row.costUsd, where).toBeCloseTo(spent.usd, 9);
    const abandoned = ofType(events, 'model.attempted').filter(({ outcome }) => outcome === 'abandoned').length;
    expect(
      report.rows.reduce((sum, each) => sum + each.abandoned.requests, 0),
      where,
    ).toBe(abandoned);
  }
});
