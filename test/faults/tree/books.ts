import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { accountOf, book, BOOKED_EVENTS, spentOf, takenOf, type Ledger } from '@klaus/core/agent';
import { isCharged, toCountedTokens } from '@klaus/core/protocol';
import type { Event, EventOf, Klaus } from '@klaus/sdk';
import { ofType } from '../../fixtures/engine.ts';

/** Largest difference of two sums of US dollars. */
const EPSILON = 1e-9;

/** The events of all sessions of a home in the order in which they were written. */
export function readAllEvents(home: string): Event[] {
  const database = new DatabaseSync(join(home, 'klaus.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT record FROM events ORDER BY id').all() as { record: string }[];
    return rows.map(({ record }) => JSON.parse(record) as Event);
  } finally {
    database.close();
  }
}

/** The events of a session and of all below it. */
function ofTree(events: readonly Event[], root: string): Event[] {
  const sessions = new Set([root]);
  for (const { session, parent } of ofType(events, 'session.opened'))
    if (parent && sessions.has(parent.session)) sessions.add(session);
  return events.filter(({ session }) => sessions.has(session));
}

/** Everything that is wrong in the logs of a finished tree; empty if its accounts balance. */
export async function findMismatches(klaus: Klaus, root: string): Promise<string[]> {
  const events = ofTree(readAllEvents(klaus.home), root);
  const wrong: string[] = [];
  const check = (isRight: boolean, text: string): void => {
    if (!isRight) wrong.push(text);
  };
  const logs = Map.groupBy(events, ({ session }) => session);
  checkChildren(logs, root, check);
  checkRequests(logs, check);
  for (const log of logs.values()) checkReservations(log, check);
  checkMoments(events, root, check);
  await checkTotals(klaus, { root, logs, check });
  return wrong;
}

type Logs = ReadonlyMap<string, readonly Event[]>;
type Check = (isRight: boolean, text: string) => void;

interface Use {
  usd: number;
  tokens: number;
  turns: number;
  toolCalls: number;
}

function useOf(log: readonly Event[]): Use {
  const charged = ofType(log, 'model.attempted').filter(isCharged);
  // A call that did not run is not counted.
  const started = new Set(ofType(log, 'tool.started').map(({ call }) => call));
  const ran = ofType(log, 'tool.finished').filter(({ call, outcome }) => started.has(call) || outcome !== 'cancelled');
  return {
    usd: charged.reduce((sum, { usd }) => sum + usd!, 0),
    tokens: charged.reduce((sum, { usage }) => sum + toCountedTokens(usage), 0),
    turns: ofType(log, 'turn.started').length,
    toolCalls: ran.length,
  };
}

function treeUse(logs: Logs, session: string): Use {
  const log = logs.get(session) ?? [];
  return ofType(log, 'child.opened').reduce((sum, { child }) => addUse(sum, treeUse(logs, child)), useOf(log));
}

function addUse(a: Use, b: Use): Use {
  return {
    usd: a.usd + b.usd,
    tokens: a.tokens + b.tokens,
    turns: a.turns + b.turns,
    toolCalls: a.toolCalls + b.toolCalls,
  };
}

function toReported({ usd, usage, turns, toolCalls }: EventOf<'child.closed'>): Use {
  return { usd: usd!, tokens: toCountedTokens(usage), turns, toolCalls };
}

function isNear(a: number | null, b: number): boolean {
  return a !== null && Math.abs(a - b) < EPSILON;
}

function isWithin(use: Use, limits: EventOf<'child.opened'>['limits']): boolean {
  return (['usd', 'tokens', 'turns', 'toolCalls'] as const).every(
    (name) => limits[name] === 0 || use[name] <= limits[name] + (name === 'usd' ? EPSILON : 0),
  );
}

/** Every child was opened once by one call and closed once, and the refund is right. */
function checkChildren(logs: Logs, root: string, check: Check): void {
  const parents = new Map<string, string>();
  for (const [session, log] of logs) {
    const opened = ofType(log, 'child.opened');
    const closed = ofType(log, 'child.closed');
    check(
      new Set(opened.map(({ call }) => call)).size === opened.length,
      `${session} opened two children for one call`,
    );
    for (const { child, limits, call } of opened) {
      check(!parents.has(child), `${child} was opened twice`);
      parents.set(child, session);
      const ends = closed.filter((each) => each.child === child);
      check(ends.length === 1, `${child} has ${ends.length} child.closed`);
      const use = treeUse(logs, child);
      check(isWithin(use, limits), `${child} used ${JSON.stringify(use)} of ${JSON.stringify(limits)}`);
      const [end] = ends;
      if (!end) continue;
      const reported = toReported(end);
      const isEqual =
        isNear(reported.usd, use.usd) &&
        (['tokens', 'turns', 'toolCalls'] as const).every((name) => reported[name] === use[name]);
      check(isEqual, `${child} was closed with ${JSON.stringify(reported)}, but used ${JSON.stringify(use)}`);
      const below = logs.get(child) ?? [];
      check(
        below.length === 0 || ofType(below, 'session.closed').length === 1,
        `the log of ${child} is not closed once`,
      );
      const [first] = ofType(below, 'session.opened');
      check(
        !first || (first.parent?.session === session && first.parent.call === call),
        `${child} names another parent`,
      );
    }
    for (const { child } of closed)
      check(
        opened.some((each) => each.child === child),
        `${child} was closed, but not opened`,
      );
  }
  for (const session of logs.keys()) check(session === root || parents.has(session), `${session} has no child.opened`);
}

/** Every request was charged or refused once, and nothing is in flight. */
function checkRequests(logs: Logs, check: Check): void {
  for (const [session, log] of logs) {
    const ledger: Ledger = new Map();
    for (const event of log) {
      const isOpen = accountOf(ledger, session).open !== undefined;
      if (event.type === 'turn.started' || event.type === 'model.requested')
        check(!isOpen, `${session}#${event.seq} sent a second request`);
      // Stopped during the wait for the next attempt: nothing was sent.
      if (event.type === 'model.attempted' && isCharged(event))
        check(isOpen, `${session}#${event.seq} charged a request twice`);
      book(ledger, event);
    }
    check(accountOf(ledger, session).open === undefined, `${session} has a request in flight`);
  }
}

/** Computed without the ledger: at no moment has a session used, reserved or given to children more than its limits. */
function checkReservations(log: readonly Event[], check: Check): void {
  const [opened] = ofType(log, 'session.opened');
  if (!opened) return;
  const lent = new Map<string, Use>();
  let open = { usd: 0, tokens: 0 };
  log.forEach((event, index) => {
    if (event.type === 'child.opened') lent.set(event.child, event.limits);
    else if (event.type === 'child.closed') lent.set(event.child, toReported(event));
    else if (event.type === 'turn.started' || event.type === 'model.requested')
      open = { usd: event.reserved.usd!, tokens: event.reserved.tokens };
    else if (event.type === 'model.attempted') open = { usd: 0, tokens: 0 };
    else if (event.type !== 'tool.finished') return;
    const own = useOf(log.slice(0, index + 1));
    const parts = [own, { ...open, turns: 0, toolCalls: 0 }, ...lent.values()];
    const sum = parts.reduce(addUse);
    check(
      isWithin(sum, opened.limits),
      `at ${event.session}#${event.seq}: ${JSON.stringify(sum)} of ${JSON.stringify(opened.limits)}`,
    );
  });
}

const BOOKED: ReadonlySet<string> = new Set(BOOKED_EVENTS);

/** At no moment is more spent or reserved than the limit of the first session, or of any other. */
function checkMoments(events: readonly Event[], root: string, check: Check): void {
  const merged: Ledger = new Map();
  const own: Ledger = new Map();
  for (const event of events) {
    if (!BOOKED.has(event.type)) continue;
    book(merged, event);
    if (event.session === root) book(own, event);
    const { caps } = accountOf(merged, root);
    const sum = { tokens: 0, usd: 0 };
    for (const { usage, usd, open } of merged.values()) {
      sum.tokens += toCountedTokens(usage) + (open?.reserved.tokens ?? 0);
      sum.usd += usd! + (open?.reserved.usd ?? 0);
    }
    for (const [name, taken] of [
      ['requests', sum],
      ['taken', takenOf(merged, root)],
      ['own log', takenOf(own, root)],
    ] as const) {
      const at = `at ${event.session}#${event.seq} ${event.type}: ${name} ${JSON.stringify(taken)} of ${JSON.stringify(caps)}`;
      check(caps.usd === 0 || taken.usd! <= caps.usd + EPSILON, at);
      check(caps.tokens === 0 || taken.tokens <= caps.tokens, at);
    }
  }
}

/** The logs, the ledger of the first session and the usage report agree. */
async function checkTotals(
  klaus: Klaus,
  { root, logs, check }: { root: string; logs: Logs; check: Check },
): Promise<void> {
  const all = [...logs.values()].map(useOf);
  const usd = all.reduce((sum, use) => sum + use.usd, 0);
  const tokens = all.reduce((sum, use) => sum + use.tokens, 0);
  const ledger: Ledger = new Map();
  for (const event of logs.get(root) ?? []) book(ledger, event);
  for (const [name, sum] of [
    ['spent', spentOf(ledger, root)],
    ['taken', takenOf(ledger, root)],
  ] as const) {
    check(
      isNear(sum.usd, usd) && sum.tokens === tokens,
      `${name} is ${JSON.stringify(sum)}, but the logs say ${usd} and ${tokens}`,
    );
  }
  const limits = ofType(logs.get(root)!, 'session.opened')[0]!.limits;
  check(
    isWithin(treeUse(logs, root), limits),
    `the tree used ${JSON.stringify(treeUse(logs, root))} of ${JSON.stringify(limits)}`,
  );
  const { rows, budget, reserved } = await klaus.usage({ session: root, by: 'session' });
  check(
    isNear(
      rows.reduce((sum, row) => sum + row.usd!, 0),
      usd,
    ),
    'the usage report has another sum',
  );
  check(reserved.length === 0, 'the usage report has open requests');
  for (const { limit, lent, spent } of budget ?? []) {
    check(isNear(lent, 0), `${lent} ${limit} are lent at the end`);
    check(isNear(spent, limit === 'usd' ? usd : tokens), `the budget says ${spent} ${limit}`);
  }
  for (const row of rows)
    check(isNear(row.usd, useOf(logs.get(row.key) ?? []).usd), `the usage of ${row.key} is wrong`);
}
