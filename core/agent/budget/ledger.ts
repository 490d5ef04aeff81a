import {
  addUsage,
  isCharged,
  NO_USAGE,
  toCountedTokens,
  type Event,
  type EventOf,
  type Limits,
  type Reserved,
  type Usage,
} from '../../protocol/index.ts';

/** A request without a recorded end: it is in flight, or its process crashed. */
export type OpenRequest = Pick<
  EventOf<'model.requested'>,
  'run' | 'purpose' | 'turn' | 'model' | 'request' | 'reserved' | 'at'
>;

/** The budget of one session, from its log, or that of a child from the log of its parent. */
export interface Account {
  /** The session that spawned it. */
  parent?: string;
  /** 0: unlimited. */
  caps: Pick<Limits, 'tokens' | 'usd'>;
  /** Sums over all finished requests. `usd` is null if any price is unknown. */
  usage: Usage;
  usd: number | null;
  /** Milliseconds between its own requests and their ends. */
  workedMs: number;
  /** What requests without the provider's figure may have cost in addition: it counts until the session is closed. */
  held?: Reserved;
  /** True if a part of `usage` is estimated. */
  isEstimated?: true;
  /** The request of the loop that is in flight. */
  open?: OpenRequest;
  /** Requests of a wrapped program that are in flight, by id. */
  program?: Map<string, OpenRequest>;
  isClosed: boolean;
  /** True if its own log is booked: it is more recent than the reports in the log of its parent. */
  isOwn?: boolean;
  /** For a fork: events up to this seq were copied; the original session paid for them. */
  inherited?: number;
}

/** Accounts by session. An open child reserves its budget in its parent; the remainder is released when it closes. */
export type Ledger = Map<string, Account>;

/** Types of the events that `book` uses. */
export const BOOKED_EVENTS = [
  'session.opened',
  'session.changed',
  'session.closed',
  'turn.started',
  'model.requested',
  'model.attempted',
  'child.opened',
  'child.finished',
  'child.closed',
] as const satisfies readonly Event['type'][];

/** Applies one event to the ledger, which is changed in place. The events of a session must be in order. */
export function book(ledger: Ledger, event: Event): void {
  const { inherited } = ledger.get(event.session) ?? {};
  const isInherited = inherited !== undefined && event.seq <= inherited;
  if (isInherited && event.type !== 'session.opened' && event.type !== 'session.changed') return;
  switch (event.type) {
    case 'session.opened':
      Object.assign(toAccount(ledger, event.session), {
        isOwn: true,
        usage: NO_USAGE,
        usd: 0,
        workedMs: 0,
        caps: event.limits,
        // A fork has its own budget: nothing is reserved for it in the session that opened its original.
        ...(event.parent && !event.forked ? { parent: event.parent.session } : {}),
        ...(event.forked ? { inherited: event.forked.seq } : {}),
      });
      return;
    case 'session.changed':
      if (event.limits) toAccount(ledger, event.session).caps = event.limits;
      return;
    case 'session.closed':
      closeAccount(toAccount(ledger, event.session));
      return;
    case 'turn.started':
    case 'model.requested': {
      const { run, turn, model, reserved, at } = event;
      const purpose = event.type === 'turn.started' ? 'turn' : event.purpose;
      const account = toAccount(ledger, event.session);
      const open: OpenRequest = { run, purpose, turn, model, reserved, at };
      const request = event.type === 'turn.started' ? undefined : event.request;
      if (request === undefined) account.open = open;
      else (account.program ??= new Map()).set(request, { ...open, request });
      return;
    }
    case 'model.attempted': {
      const account = toAccount(ledger, event.session);
      const open = event.request === undefined ? account.open : account.program?.get(event.request);
      // When the process of an abandoned request ended is unknown.
      if (open && event.outcome !== 'abandoned') account.workedMs += event.at - open.at;
      if (event.request === undefined) delete account.open;
      else account.program?.delete(event.request);
      if (!isCharged(event)) return;
      account.usage = addUsage(account.usage, event.usage);
      account.usd = addUsd(account.usd, event.usd);
      if (event.estimated) account.isEstimated = true;
      if (event.held) account.held = addReserved(account.held, event.held);
      return;
    }
    case 'child.opened':
      Object.assign(toAccount(ledger, event.child), { caps: event.limits, parent: event.session });
      return;
    case 'child.finished':
    case 'child.closed': {
      const account = toAccount(ledger, event.child);
      if (!account.isOwn) Object.assign(account, { usage: event.usage, usd: event.usd });
      if (event.type === 'child.closed') closeAccount(account);
      return;
    }
    default:
  }
}

/** The account of a session; an empty one without limits if nothing was booked. */
export function accountOf(ledger: Ledger, session: string): Readonly<Account> {
  return ledger.get(session) ?? createAccount();
}

function toAccount(ledger: Ledger, session: string): Account {
  let account = ledger.get(session);
  if (!account) ledger.set(session, (account = createAccount()));
  return account;
}

function closeAccount(account: Account): void {
  account.isClosed = true;
  delete account.held;
}

function createAccount(): Account {
  return { caps: { tokens: 0, usd: 0 }, usage: NO_USAGE, usd: 0, workedMs: 0, isClosed: false };
}

/** The amount that a session and its descendants have spent. */
export function spentOf(ledger: Ledger, session: string): Reserved {
  const { usage, usd } = accountOf(ledger, session);
  const own = { tokens: toCountedTokens(usage), usd };
  return childrenOf(ledger, session).reduce((sum, child) => addReserved(sum, spentOf(ledger, child)), own);
}

/** The used part of a session's limits: spent, held or reserved for requests, or assigned to children. */
export function takenOf(ledger: Ledger, session: string): Reserved {
  const account = accountOf(ledger, session);
  const { usage, usd, held } = account;
  const own = addReserved(held, { tokens: toCountedTokens(usage), usd });
  const sum = childrenOf(ledger, session).reduce((all, child) => addReserved(all, takenByChild(ledger, child)), own);
  return openRequestsOf(account).reduce((all, { reserved }) => addReserved(all, reserved), sum);
}

/** The requests of a session that are in flight. */
export function openRequestsOf({ open, program }: Readonly<Account>): OpenRequest[] {
  return [...(program?.values() ?? []), ...(open ? [open] : [])];
}

/** The amount that a session can still reserve. Infinity without a limit; null if a price is unknown. */
export function leftOf(ledger: Ledger, session: string): Reserved {
  const { caps } = accountOf(ledger, session);
  const taken = takenOf(ledger, session);
  const usd = taken.usd === null ? null : Math.max(0, caps.usd - taken.usd);
  return {
    tokens: caps.tokens === 0 ? Infinity : Math.max(0, caps.tokens - taken.tokens),
    usd: caps.usd === 0 ? Infinity : usd,
  };
}

/** An open child reserves its limit. A closed child, or one without its own limit, uses what it has taken. */
function takenByChild(ledger: Ledger, child: string): Reserved {
  const { caps, isClosed } = accountOf(ledger, child);
  const taken = takenOf(ledger, child);
  if (isClosed) return taken;
  return {
    tokens: Math.max(caps.tokens, taken.tokens),
    usd: taken.usd === null ? null : Math.max(caps.usd, taken.usd),
  };
}

function childrenOf(ledger: Ledger, session: string): string[] {
  return [...ledger].flatMap(([id, { parent }]) => (parent === session && id !== session ? [id] : []));
}

/** @param a Default: nothing. */
export function addReserved(a: Reserved = { tokens: 0, usd: 0 }, b: Reserved): Reserved {
  return { tokens: a.tokens + b.tokens, usd: addUsd(a.usd, b.usd) };
}

/** Null if one of the amounts is unknown. */
export function addUsd(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
