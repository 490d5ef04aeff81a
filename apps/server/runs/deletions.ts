import type { Klaus } from '@klaus/sdk';
import { KlausError } from '@klaus/sdk';

/** Milliseconds for which a delete can be undone. */
export const DELETE_UNDO_MS = 8_000;

export interface DeletionsOptions {
  klaus: Klaus;
  onChange: (session: string, state: 'pending' | 'undone' | 'deleted') => void;
}

/** Pending deletes, which can be undone. A crash cancels them. */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #pending = new Map<string, { undoUntil: number; timer: NodeJS.Timeout }>();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /** @returns Until when it can be undone, in Unix milliseconds. @throws KlausError `store.busy`. */
  begin(session: string): number {
    const known = this.#pending.get(session);
    if (known) return known.undoUntil;
    if (this.#options.klaus.store.view.isClaimed(session)) {
      throw new KlausError('store.busy', 'A process is working on this session.', { hint: 'Stop its run first.' });
    }
    const undoUntil = Date.now() + DELETE_UNDO_MS;
    const timer = setTimeout(() => void this.#delete(session), DELETE_UNDO_MS).unref();
    this.#pending.set(session, { undoUntil, timer });
    this.#options.onChange(session, 'pending');
    return undoUntil;
  }

  undo(session: string): void {
    const pending = this.#pending.get(session);
    if (!pending) return;
    clearTimeout(pending.timer);
    this.#pending.delete(session);
    this.#options.onChange(session, 'undone');
  }

  /** Until when a pending delete can be undone, in Unix milliseconds. */
  undoUntil(session: string): number | undefined {
    return this.#pending.get(session)?.undoUntil;
  }

  /** Performs the pending deletes, because the server shuts down. */
  async close(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map((session) => this.#delete(session)));
  }

  async #delete(session: string): Promise<void> {
    const pending = this.#pending.get(session);
    if (!pending) return;
    clearTimeout(pending.timer);
    const { cleared } = await this.#options.klaus.clearSessions({ ids: [session], by: 'server' });
    this.#pending.delete(session);
    // A session that another process has started to work on is not deleted.
    this.#options.onChange(session, cleared.includes(session) ? 'deleted' : 'undone');
  }
}
