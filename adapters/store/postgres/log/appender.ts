import type { AppendOptions, Draft, Lease } from '@klaus/core/agent';
import { KlausError, type Event } from '@klaus/core/protocol';
import type { Database, Sql, Statement } from '../database.ts';
import { isCommitUnknown, isConnectionLost } from '../database-error.ts';
import type { Append, Outcome, Written } from './append.ts';
import { retryLost } from './retry.ts';
import { chainKnown, toKnownWrite, toSingleWrite, type Known } from './write-known.ts';
import { writeGroup } from './write-group.ts';
import type { Projected } from '../projections/project-events.ts';
import type { Head } from '../../shared/chain-drafts.ts';

/** Events of one transaction, unless a single append has more. */
const MAX_EVENTS = 2_000;

export interface AppenderParts {
  database: Database;
  /** Milliseconds in which an append is tried again over new connections. */
  retryMs: number;
  /** What else belongs to the written appends, in the same transaction. */
  also(sql: Sql, written: readonly { append: Append; written: Written }[]): Promise<void>;
  /** True for an event with which only the projections of its session change, without a look at what is stored. */
  isPlain(event: Event): boolean;
  /** Updates the projections by plain events of one session. */
  projectPlain(events: readonly Event[]): Projected;
  /** Called after the commit, before the appends resolve. */
  committed(session: string, events: readonly Event[]): Promise<void>;
  /** Called when it stays unknown whether an append of this lease is durable. `seq` is that of its last event. */
  lost(lease: Lease, seq: number): void;
}

/**
 * Appends with group commits: the appends that arrive during a commit are one transaction after it, over all sessions.
 * After a lost connection the same records are tried again, once it is known that they did not arrive.
 */
export class Appender {
  readonly #parts: AppenderParts;
  #waiting: Append[] = [];
  #committing: readonly Append[] = [];
  #isRunning = false;
  /** The end of each session after the last append of this lease. */
  readonly #heads = new WeakMap<Lease, Head>();

  constructor(parts: AppenderParts) {
    this.#parts = parts;
  }

  /** Resolves when the events are durable. */
  append(drafts: readonly Draft[], { lease, consume = [] }: AppendOptions): Promise<Event[]> {
    const settling = Promise.withResolvers<Event[]>();
    this.#waiting.push({ lease, drafts, consume, ...settling });
    if (!this.#isRunning) void this.#run();
    return settling.promise;
  }

  /** Waits for the appends that are pending now, not for those that follow. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#committing, ...this.#waiting].map(({ promise }) => promise));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Calls of the same task belong to the first group.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      this.#committing = this.#takeGroup();
      await this.#commit(this.#committing);
    }
    this.#committing = [];
    this.#isRunning = false;
  }

  #takeGroup(): Append[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ drafts }, at) => (size += drafts.length) > MAX_EVENTS && at > 0);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #commit(group: readonly Append[]): Promise<void> {
    let { outcomes, isUnknown } = await this.#commitKnown(group);
    try {
      outcomes ??= await retryLost(async () => {
        try {
          return await this.#parts.database.transaction((sql) => this.#write(sql, group));
        } catch (error) {
          isUnknown ||= isCommitUnknown(error);
          throw error;
        }
      }, this.#parts.retryMs);
    } catch (error) {
      await this.#failed(group, error, isUnknown);
      return;
    }
    await this.#settle(outcomes);
  }

  /**
   * Commits plain events of sessions whose ends are known in one round trip. Without outcomes nothing is decided: the
   * usual way follows, which finds out what is stored.
   */
  async #commitKnown(group: readonly Append[]): Promise<{ outcomes?: Outcome[]; isUnknown: boolean }> {
    const known = chainKnown(group, this.#heads);
    if (!known || !known.every(({ written }) => written.events.every((event) => this.#parts.isPlain(event)))) {
      return { isUnknown: false };
    }
    for (const { append, written } of known) append.written = written;
    try {
      // All statements exist before the first is sent: an event that cannot be projected stores nothing.
      const projected = toSessions(known).map((own) => this.#parts.projectPlain(own));
      await this.#parts.database.together(toStatements(known, { heads: this.#heads, projected }));
      return { outcomes: known, isUnknown: false };
    } catch (error) {
      const isUnknown = isCommitUnknown(error);
      for (const append of group) {
        this.#heads.delete(append.lease);
        if (!isUnknown) delete append.written;
      }
      return { isUnknown };
    }
  }

  async #write(sql: Sql, group: readonly Append[]): Promise<Outcome[]> {
    const before = new Map(group.map((append) => [append, append.written]));
    const outcomes = await writeGroup(sql, group);
    // What an earlier attempt committed has its other parts too.
    const written = outcomes.filter((one) => 'written' in one).filter((one) => before.get(one.append) !== one.written);
    if (written.length > 0) await this.#parts.also(sql, written);
    return outcomes;
  }

  /** An error of one append must not affect the others: each is tried alone. */
  async #failed(group: readonly Append[], error: unknown, isUnknown: boolean): Promise<void> {
    if (group.length > 1 && !isConnectionLost(error)) {
      for (const append of group) await this.#commit([append]);
      return;
    }
    for (const append of group) {
      if (isUnknown) this.#parts.lost(append.lease, append.written?.head.seq ?? 0);
      append.reject(isUnknown ? toUnknown(append.lease.session, error) : error);
    }
  }

  async #settle(outcomes: readonly Outcome[]): Promise<void> {
    const added = outcomes.filter((outcome) => 'written' in outcome && outcome.written.events.length > 0) as Known[];
    for (const { append, written } of added) this.#heads.set(append.lease, written.head);
    await Promise.all(toSessions(added).map((events) => this.#parts.committed(events[0]!.session, events)));
    for (const outcome of outcomes) {
      if ('written' in outcome) outcome.append.resolve(outcome.written.events);
      else outcome.append.reject(outcome.error);
    }
  }
}

/** The events of each session, in the order of the first ones. */
function toSessions(written: readonly Known[]): readonly (readonly Event[])[] {
  if (written.length === 1) return [written[0]!.written.events];
  const events = written.flatMap((one) => one.written.events);
  return [...Map.groupBy(events, ({ session }) => session).values()];
}

/** @param parts `projected`: of each session, in the same order. */
function toStatements(
  known: readonly Known[],
  { heads, projected }: { heads: WeakMap<Lease, Head>; projected: readonly Projected[] },
): readonly Statement[] {
  const times = projected.map(({ updatedAt }) => updatedAt);
  const [first] = known;
  const isSingle = known.length === 1 && first!.written.events.length === 1;
  const write = isSingle ? toSingleWrite(first!, heads, times[0]!) : toKnownWrite(known, { heads, times });
  return [write, ...projected.flatMap(({ statements }) => statements)];
}

function toUnknown(session: string, cause: unknown): KlausError {
  const what = `The connection to Postgres was lost during an append to session ${session}, so it is not known whether it is stored.`;
  return new KlausError('store.busy', what, {
    hint: 'Open the session again as soon as Postgres can be reached: its log shows what is stored.',
    retryable: true,
    cause,
  });
}
