import { isReplaced, toLiveKey, type Event, type Klaus, type Live, type LivePiece } from '@klaus/sdk';
import type { SessionQueue } from '../runs/session-queue.ts';

/** Characters at the end of an in-flight text that are stored. A text is cut when it has twice as many. */
const MAX_CHARS = 1_000_000;

/** A text, and the last event of its session before it began. */
interface Text {
  piece: LivePiece;
  since: number;
}

interface Entry {
  texts: Map<string, Text>;
  /** Of the last event that was applied. */
  seq: number;
  stop: () => void;
}

/**
 * Stores the in-flight text of each session, for clients that connect in the middle of an answer, such as after a restart
 * of the server.
 */
export class InFlightText {
  readonly #klaus: Klaus;
  readonly #queue: SessionQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #stopListening: () => void;

  constructor({ klaus, queue }: { klaus: Klaus; queue: SessionQueue }) {
    this.#klaus = klaus;
    this.#queue = queue;
    this.#stopListening = klaus.store.onLive((live) => this.#take(live));
  }

  /**
   * The in-flight text of a session that is not in its log yet, in order of appearance. Events of other processes count
   * once they are notified: call `update` first to include all.
   */
  of(session: string): LivePiece[] {
    const entry = this.#entries.get(session);
    if (!entry) return [];
    if (!this.#queue.isHeld(session)) this.#drop(session);
    return [...entry.texts.values()].map(({ piece }) => piece);
  }

  /** Applies all events of the log. Never fails: the subscribers of a session report an unreadable log. */
  async update(session: string): Promise<void> {
    const entry = this.#entries.get(session);
    if (!entry) return;
    try {
      for await (const events of this.#klaus.store.read(session, entry.seq))
        for (const event of events) this.apply(event);
    } catch {
      this.#drop(session);
    }
  }

  /** Applies a new event. Events that were applied before change nothing. */
  apply(event: Event): void {
    const entry = this.#entries.get(event.session);
    if (!entry || event.seq <= entry.seq) return;
    applyEvent(entry, event);
    if (event.type === 'run.finished') this.#drop(event.session);
  }

  close(): void {
    this.#stopListening();
    for (const session of [...this.#entries.keys()]) this.#drop(session);
  }

  #take(live: Live): void {
    const entry = this.#entries.get(live.session) ?? this.#begin(live.session);
    const { texts } = entry;
    if (live.type === 'message.discarded') {
      for (const [key, { piece }] of [...texts])
        if (piece.type === 'message.delta' && piece.message === live.message) texts.delete(key);
      return;
    }
    const key = toLiveKey(live);
    const { piece: known, since } = texts.get(key) ?? { since: this.#headOf(live.session) };
    // After a gap, such as a lost connection to the other process, the text starts again.
    const previous = known && live.offset <= known.offset + known.text.length ? known : undefined;
    const text = previous === undefined ? live.text : previous.text.slice(0, live.offset - previous.offset) + live.text;
    const cut = text.length > 2 * MAX_CHARS ? text.length - MAX_CHARS : 0;
    const piece = { ...live, offset: (previous?.offset ?? live.offset) + cut, text: text.slice(cut) };
    texts.set(key, { piece, since });
  }

  #begin(session: string): Entry {
    // A process that was killed leaves entries behind.
    for (const other of [...this.#entries.keys()]) if (!this.#queue.isHeld(other)) this.#drop(other);
    const seq = this.#headOf(session);
    const stop = this.#klaus.handle(session).subscribe(seq, (event) => this.apply(event));
    const entry: Entry = { texts: new Map(), seq, stop };
    this.#entries.set(session, entry);
    return entry;
  }

  #headOf(session: string): number {
    return this.#klaus.store.view.head(session)?.seq ?? 0;
  }

  #drop(session: string): void {
    const entry = this.#entries.get(session);
    this.#entries.delete(session);
    entry?.texts.clear();
    entry?.stop();
  }
}

/** Removes text that the event completes or discards. Text that began after the event is about something else. */
function applyEvent(entry: Entry, event: Event): void {
  entry.seq = event.seq;
  const { texts } = entry;
  for (const [key, { piece, since }] of [...texts])
    if (since < event.seq && isReplaced(piece, event)) texts.delete(key);
}
