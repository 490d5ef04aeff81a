import { setImmediate } from 'node:timers/promises';
import type { StoreQueries } from '@klaus/core/agent';
import {
  addGuardRates,
  createGuardRates,
  foldGuardRates,
  type GuardDecision,
  type GuardRates,
  toDay,
  toDecider,
} from './guard-rates.ts';

export interface DecisionQuery extends SeenQuery {
  /** Only decisions before this seq. Default: from the newest one. */
  before?: number | undefined;
  limit: number;
  verdicts?: readonly GuardDecision['verdict'][] | undefined;
  /** As `toDecider` returns it. */
  decider?: string | undefined;
  /** Absolute real path of the project. */
  workspace?: string | undefined;
}

export interface RatesQuery extends SeenQuery {
  /** First day (UTC), such as `2026-01-31`. Default: of the first decision. */
  since?: string | undefined;
  /** Absolute real path of the project. Default: all. */
  workspace?: string | undefined;
}

interface SeenQuery {
  /** True for the path of a project whose decisions count. Default: all do. */
  sees?: (workspace: string) => boolean;
}

/** Decisions that are read for one page, so that rare ones do not block the process. */
const MAX_READ = 2_000;
/** Decisions that are folded before other work of the process continues. */
const FOLDED_AT_ONCE = 500;

const all = (): boolean => true;

/** The decisions of the guard, as a fold of the host chain. It reads each decision once. */
export class GuardLog {
  readonly #store: Pick<StoreQueries, 'hostEvents'>;
  /** By day and project. */
  readonly #rates = new Map<string, { day: string; workspace: string; rates: GuardRates }>();
  #after = 0;
  #folding: Promise<void> | undefined;

  constructor(store: Pick<StoreQueries, 'hostEvents'>) {
    this.#store = store;
  }

  /**
   * Decisions, the newest first.
   *
   * @returns `next`: the `before` of the next page; null after the oldest decision. A page can be shorter than `limit`.
   */
  async decisions({ before = Infinity, limit, verdicts, decider, workspace, sees = all }: DecisionQuery): Promise<{
    decisions: GuardDecision[];
    next: number | null;
  }> {
    const decisions: GuardDecision[] = [];
    let read = 0;
    const filter = {
      type: 'guard.decided' as const,
      before,
      subject: workspace,
    };
    for await (const event of this.#store.hostEvents(filter)) {
      if (event.type !== 'guard.decided') continue;
      read += 1;
      const isShown =
        sees(event.workspace) &&
        (verdicts === undefined || verdicts.includes(event.verdict)) &&
        (decider === undefined || toDecider(event) === decider);
      if (isShown) decisions.push(event);
      if (decisions.length === limit || read === MAX_READ) return { decisions, next: event.seq };
    }
    return { decisions, next: null };
  }

  async rates({ since = '', workspace, sees = all }: RatesQuery = {}): Promise<GuardRates> {
    await this.#fold();
    return addGuardRates(
      [...this.#rates.values()]
        .filter(
          (it) => it.day >= since && (workspace === undefined || it.workspace === workspace) && sees(it.workspace),
        )
        .map(({ rates }) => rates),
    );
  }

  /** Absolute real paths of all projects with decisions, in alphabetical order. */
  async workspaces(): Promise<string[]> {
    await this.#fold();
    return [...new Set([...this.#rates.values()].map(({ workspace }) => workspace))].toSorted();
  }

  #fold(): Promise<void> {
    return (this.#folding ??= this.#foldNew().finally(() => (this.#folding = undefined)));
  }

  async #foldNew(): Promise<void> {
    let folded = 0;
    for await (const event of this.#store.hostEvents({ type: 'guard.decided', after: this.#after })) {
      this.#after = event.seq;
      if (event.type !== 'guard.decided') continue;
      const { workspace } = event;
      const day = toDay(event.at);
      const key = `${day} ${workspace}`;
      const found = this.#rates.get(key) ?? { day, workspace, rates: createGuardRates() };
      this.#rates.set(key, found);
      foldGuardRates(found.rates, event);
      folded += 1;
      if (folded % FOLDED_AT_ONCE === 0) await setImmediate();
    }
  }
}
