import type { Klaus } from '@klaus/sdk';
import { KlausError } from '@klaus/sdk';

/** Milliseconds for which a delete can be taken back. */
export const DELETE_UNDO_MS = 8_000;

export interface DeletionsOptions {
  klaus: Klaus;
  /** A delete began, was taken back, or was carried out. */
  onChange: (session: string, state: 'begun' | 'kept' | 'gone') => void;
}

/** Deletes that can still be taken back. One that a crash comes before is forgotten: nothing is lost by it. */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #pending = new Map<string, { until: number; timer: NodeJS.Timeout }>();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /** @returns Until when it can be taken back, in Unix milliseconds. @throws KlausError `store.busy`. */
  begin(session: string): number {
    const known = this.#pending.get(session);
    if (known) return known.until;
    if (this.#options.klaus.store.view.isClaimed(session)) {
      throw new KlausError('store.busy', 'A process works on this session.', { hint: 'Stop its run first.' });
    }
    const until = Date.now() + DELETE_UNDO_MS;
    const timer = setTimeout(() => void this.#carryOut(session), DELETE_UNDO_MS).unref();
    this.#pending.set(session, { until, timer });
    this.#options.onChange(session, 'begun');
    return until;
  }

  /** False when there is nothing to take back. */
  keep(session: string): boolean {
    const pending = this.#pending.get(session);
    if (!pending) return false;
    clearTimeout(pending.timer);
    this.#pending.delete(session);
    this.#options.onChange(session, 'kept');
    return true;
  }

  until(session: string): number | undefined {
    return this.#pending.get(session)?.until;
  }

  /** Carries out what waits, because the server ends. */
  async close(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map((session) => this.#carryOut(session)));
  }

  async #carryOut(session: string): Promise<void> {
    const pending = this.#pending.get(session);
    if (!pending) return;
    clearTimeout(pending.timer);
    const { cleared } = await this.#options.klaus.clearSessions({ ids: [session], by: 'server' });
    this.#pending.delete(session);
    // Another process may have begun to work on it meanwhile; then it stays.
    this.#options.onChange(session, cleared.includes(session) ? 'gone' : 'kept');
  }
}
