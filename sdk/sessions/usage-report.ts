import {
  BOOKED_EVENTS,
  book,
  leftOf,
  openRequestsOf,
  spentOf,
  takenOf,
  type Charged,
  type Ledger,
  type SessionStore,
  type UsageFilter,
  type UsageRow,
} from '@klaus/core/agent';
import type { EventOf, Reserved } from '@klaus/core/protocol';

/** A request without an end in the log: in flight, or sent by a process that ended. */
export interface ReservedRequest {
  session: string;
  purpose: EventOf<'model.requested'>['purpose'];
  model: string;
  /** Its reservation; US dollars are null when the price is unknown. */
  tokens: number;
  usd: number | null;
  /** Unix milliseconds. */
  at: number;
}

/** One limit of a session and its use by the session and its descendants. */
export interface BudgetRow {
  limit: 'tokens' | 'usd';
  /** 0: unlimited. */
  cap: number;
  /** Charges of ended requests. Null: a price is unknown. */
  spent: number | null;
  /** Reservations of requests without an end. */
  reserved: number | null;
  /** What requests without the provider's figure may have cost in addition. */
  held: number | null;
  /** Transferred to descendants and not spent there yet. */
  lent: number | null;
  /** What can still be reserved; null without a limit, or when a price is unknown. */
  left: number | null;
  /** True if a provider reported no usage, or an impossible one, for a part of what was spent. */
  isEstimated: boolean;
}

export interface UsageReport {
  by: UsageFilter['by'];
  /** Charged usage; days and models by name, sessions the oldest first. */
  rows: UsageRow[];
  reserved: ReservedRequest[];
  /** Of the session in the query. */
  budget?: BudgetRow[];
}

/** @param projectOf The repository of a working copy, whose usage counts for it. Undefined for other folders. */
export async function readUsageReport(
  store: SessionStore,
  filter: UsageFilter,
  projectOf: (workspace: string) => string | undefined,
): Promise<UsageReport> {
  const { session, by, workspaces } = filter;
  const tree = session === undefined ? undefined : await store.tree(session);
  const open = (await store.openRequests()).filter((event) => tree?.includes(event.session) ?? true);
  const reserved = (workspaces === undefined ? open : await selectOf(store, open, workspaces)).map(
    (event): ReservedRequest => ({
      session: event.session,
      purpose: event.type === 'turn.started' ? 'turn' : event.purpose,
      model: event.model,
      ...event.reserved,
      at: event.at,
    }),
  );
  const budget = tree && session !== undefined ? { budget: await toBudget(store, session, tree) } : {};
  const rows = await store.usage(filter);
  return { by, rows: by === 'workspace' ? mergeRows(rows, projectOf) : rows, reserved, ...budget };
}

/** The events of sessions in these workspaces. */
async function selectOf<T extends { session: string }>(
  store: SessionStore,
  events: readonly T[],
  workspaces: readonly string[],
): Promise<T[]> {
  const rows = await Promise.all(events.map(({ session }) => store.session(session)));
  return events.filter((_, at) => workspaces.includes(rows[at]?.workspace ?? ''));
}

/** Adds up the rows of a project. They are in the order of its first one. */
function mergeRows(rows: readonly UsageRow[], projectOf: (workspace: string) => string | undefined): UsageRow[] {
  const merged = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = projectOf(row.key) ?? row.key;
    const known = merged.get(key);
    merged.set(key, known ? addRows(known, row) : { ...row, key });
  }
  return [...merged.values()];
}

function addRows(a: UsageRow, b: UsageRow): UsageRow {
  const parts = { broken: addCharged(a.broken, b.broken), abandoned: addCharged(a.abandoned, b.abandoned) };
  return { key: a.key, ...addCharged(a, b), heldUsd: a.heldUsd + b.heldUsd, ...parts };
}

function addCharged(a: Charged, b: Charged): Charged {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    usd: add(a.usd, b.usd),
  };
}

async function toBudget(store: SessionStore, session: string, tree: readonly string[]): Promise<BudgetRow[]> {
  const ledger: Ledger = new Map();
  for (const id of tree) for (const event of await store.eventsOf(id, BOOKED_EVENTS)) book(ledger, event);
  const { caps } = ledger.get(session) ?? { caps: { tokens: 0, usd: 0 } };
  const spent = spentOf(ledger, session);
  const taken = takenOf(ledger, session);
  const left = leftOf(ledger, session);
  const open = [...ledger.values()].flatMap((account) => openRequestsOf(account).map(({ reserved }) => reserved));
  return (['tokens', 'usd'] as const).map((limit) => {
    const reserved = sumOf(open, limit);
    const held = sumOf(
      [...ledger.values()].flatMap((account) => account.held ?? []),
      limit,
    );
    const parts = add(add(spent[limit], reserved), held);
    const lent = taken[limit] === null || parts === null ? null : taken[limit] - parts;
    return {
      limit,
      cap: caps[limit],
      spent: spent[limit],
      reserved,
      held,
      lent,
      left: left[limit] === Infinity ? null : left[limit],
      isEstimated: [...ledger.values()].some((account) => account.isEstimated),
    };
  });
}

function sumOf(amounts: readonly Reserved[], limit: BudgetRow['limit']): number | null {
  return amounts.reduce<number | null>((sum, { [limit]: part }) => add(sum, part), 0);
}

function add(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
