import { describe, expect, test } from 'vitest';
import { EVENT_VERSION, NO_LIMITS, type Event, type EventBody, type Reserved } from '../../protocol/index.ts';
import { accountOf, book, leftOf, spentOf, takenOf, type Ledger } from './ledger.ts';

/** Books bodies as events of sessions. */
function createBooks() {
  const ledger: Ledger = new Map();
  const add = (session: string, body: Partial<EventBody> & Pick<EventBody, 'type'>): void =>
    book(ledger, { v: EVENT_VERSION, seq: 0, prev: '', session, at: 0, ...body } as Event);
  return {
    ledger,
    open: (session: string, caps: { tokens?: number; usd?: number }, parent?: string) =>
      add(session, {
        type: 'session.opened',
        limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0, ...caps },
        ...(parent === undefined ? {} : { parent: { session: parent, call: 'c' } }),
      }),
    raise: (session: string, caps: { tokens: number; usd: number }) =>
      add(session, { type: 'session.changed', limits: { toolCalls: 0, turns: 0, ...caps } }),
    close: (session: string) => add(session, { type: 'session.closed' }),
    request: (session: string, tokens: number, usd: number | null = 0) =>
      add(session, { type: 'model.requested', purpose: 'title', reserved: { tokens, usd } }),
    settle: (session: string, tokens: number, usd: number | null = 0, held?: Reserved) =>
      add(session, {
        type: 'model.attempted',
        usage: { input: tokens, output: 0, cacheRead: 5, cacheWrite: 0 },
        usd,
        held,
      }),
  };
}

describe('one session', () => {
  test('a reservation is used until the request ends, then its cost', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { tokens: 100 });
    books.request('a', 40);
    expect([spentOf(ledger, 'a').tokens, leftOf(ledger, 'a').tokens]).toEqual([0, 60]);
    books.settle('a', 15);
    expect([spentOf(ledger, 'a').tokens, leftOf(ledger, 'a').tokens]).toEqual([15, 85]);
    expect(accountOf(ledger, 'a').open).toBeUndefined();
  });

  test('what is held for hidden work is used, but not spent, until the session is closed', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { tokens: 100, usd: 2 });
    books.request('a', 40, 1);
    books.settle('a', 10, 0.25, { tokens: 30, usd: 0.75 });
    expect(spentOf(ledger, 'a')).toEqual({ tokens: 10, usd: 0.25 });
    expect(leftOf(ledger, 'a')).toEqual({ tokens: 60, usd: 1 });
    books.close('a');
    expect(takenOf(ledger, 'a')).toEqual({ tokens: 10, usd: 0.25 });
  });

  test('an unknown price makes the sum unknown, and nothing can be reserved', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { usd: 1 });
    books.settle('a', 1, null);
    expect(spentOf(ledger, 'a').usd).toBeNull();
    expect(leftOf(ledger, 'a')).toEqual({ tokens: Infinity, usd: null });
  });

  test('a request without cost needs no price', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { usd: 1 });
    book(ledger, {
      type: 'model.attempted',
      session: 'a',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      usd: null,
    } as Event);
    expect(leftOf(ledger, 'a').usd).toBe(1);
  });
});

describe('a tree', () => {
  test('the limit of a child is reserved in its parent when it opens, and the rest is released', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { tokens: 100, usd: 10 });
    books.settle('a', 10, 1);
    books.open('b', { tokens: 50, usd: 4 }, 'a');
    expect(leftOf(ledger, 'a')).toEqual({ tokens: 40, usd: 5 });
    books.settle('b', 20, 3);
    expect(leftOf(ledger, 'a')).toEqual({ tokens: 40, usd: 5 });
    expect(spentOf(ledger, 'a')).toEqual({ tokens: 30, usd: 4 });
    books.close('b');
    expect(leftOf(ledger, 'a')).toEqual({ tokens: 70, usd: 6 });
  });

  test('a child with an open request keeps its reservation', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { tokens: 100 });
    books.open('b', { tokens: 50 }, 'a');
    books.request('b', 30);
    books.close('b');
    expect(takenOf(ledger, 'a').tokens).toBe(30);
  });

  test('a child without a limit uses what it spends', () => {
    const { ledger, ...books } = createBooks();
    books.open('a', { tokens: 100 });
    books.open('b', {}, 'a');
    books.open('c', {}, 'b');
    books.settle('c', 70);
    expect(leftOf(ledger, 'a').tokens).toBe(30);
  });
});

/** Pseudo-random integers below `below` (mulberry32). */
function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

test('in any history a tree spends at most the limit of its root, if every request checks the ledger', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const chance = createChance(seed);
    const { ledger, ...books } = createBooks();
    let cap = 500 + chance(1_000);
    books.open('s0', { tokens: cap });
    const alive = ['s0'];
    const charges = new Map<string, number>([['s0', 0]]);
    for (let step = 0; step < 60; step++) {
      const session = alive[chance(alive.length)]!;
      const account = accountOf(ledger, session);
      const left = leftOf(ledger, session).tokens;
      const what = chance(10);
      if (account.open) {
        // It ends well, or a later holder charges it in full.
        const { tokens } = account.open.reserved;
        const cost = what < 6 ? chance(tokens + 1) : tokens;
        const isHeld = what < 3;
        books.settle(session, cost, 0, isHeld ? { tokens: tokens - cost, usd: 0 } : undefined);
        charges.set(session, charges.get(session)! + cost);
      } else if (what < 5 && left > 0) books.request(session, 1 + chance(left));
      else if (what < 8 && left > 1) {
        const child = `s${charges.size}`;
        books.open(child, { tokens: 1 + chance(left - 1) }, session);
        charges.set(child, 0);
        alive.push(child);
      } else if (what === 8 && session !== 's0') {
        const isLeaf = ![...ledger].some(([id, { parent }]) => parent === session && alive.includes(id));
        if (isLeaf) {
          books.close(session);
          alive.splice(alive.indexOf(session), 1);
        }
      } else if (what === 9 && session === 's0') books.raise('s0', { tokens: (cap += chance(200)), usd: 0 });
      const spent = [...charges.values()].reduce((sum, cost) => sum + cost, 0);
      expect(spentOf(ledger, 's0').tokens, `seed ${seed}, step ${step}`).toBe(spent);
      expect(takenOf(ledger, 's0').tokens, `seed ${seed}, step ${step}`).toBeGreaterThanOrEqual(spent);
      expect(takenOf(ledger, 's0').tokens, `seed ${seed}, step ${step}`).toBeLessThanOrEqual(cap);
    }
  }
});

test('minutes count from a request to its end, also for a retry, and not for a killed process', () => {
  const ledger: Ledger = new Map();
  const add = (at: number, body: Partial<EventBody> & Pick<EventBody, 'type'>): void =>
    book(ledger, { v: EVENT_VERSION, seq: 0, prev: '', session: 'a', at, ...body } as Event);
  const end = { type: 'model.attempted', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, usd: 0 } as const;
  add(0, { type: 'session.opened', limits: NO_LIMITS });
  add(1_000, { type: 'turn.started' });
  add(4_000, { ...end, outcome: 'overloaded' });
  add(60_000, { type: 'model.requested', purpose: 'turn' });
  add(62_000, { ...end, outcome: 'ok' });
  add(70_000, { type: 'turn.started' });
  add(900_000, { ...end, outcome: 'abandoned' });
  expect(accountOf(ledger, 'a').workedMs).toBe(5_000);
});
