import type { Event, Klaus, Live } from '@klaus/sdk';
import type { RunQueue } from '../runs/run-queue.ts';

/** Characters at the end of an in-flight text that are stored. A text is cut when it has twice as many. */
const MAX_CHARS = 1_000_000;

/** The part of an in-flight text that has arrived. */
export type InFlightPiece = Extract<Live, { offset: number }>;

/** Pieces with the same key continue each other. */
function keyOf(text: InFlightPiece): string {
  return text.type === 'tool.progress' ? text.call : `${text.message}/${text.part}`;
}

interface Entry {
  texts: Map<string, InFlightPiece>;
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
  readonly #queue: RunQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #stopListening: () => void;

  constructor({ klaus, queue }: { klaus: Klaus; queue: RunQueue }) {
    this.#klaus = klaus;
    this.#queue = queue;
    this.#stopListening = klaus.store.onLive((live) => this.#take(live));
  }

  /** The in-flight text of a session that is not in its log yet, in order of appearance. */
  of(session: string): InFlightPiece[] {
    const entry = this.#entries.get(session);
    if (!entry) return [];
    if (!this.#queue.isHeld(session)) this.#drop(session);
    else this.#catchUp(session, entry);
    return [...entry.texts.values()];
  }

  close(): void {
    this.#stopListening();
    for (const session of [...this.#entries.keys()]) this.#drop(session);
  }

  #take(live: Live): void {
    const entry = this.#entries.get(live.session) ?? this.#begin(live.session);
    const { texts } = entry;
    if (live.type === 'message.discarded') {
      forgetMessages(texts, (message) => message === live.message);
      return;
    }
    const key = keyOf(live);
    if (!texts.has(key)) this.#catchUp(live.session, entry);
    const known = texts.get(key);
    // After a gap, such as a lost connection to the other process, the text starts again.
    const previous = known && live.offset <= known.offset + known.text.length ? known : undefined;
    const text = previous === undefined ? live.text : previous.text.slice(0, live.offset - previous.offset) + live.text;
    const cut = text.length > 2 * MAX_CHARS ? text.length - MAX_CHARS : 0;
    texts.set(key, { ...live, offset: (previous?.offset ?? live.offset) + cut, text: text.slice(cut) });
  }

  #begin(session: string): Entry {
    // A process that was killed leaves entries behind.
    for (const other of [...this.#entries.keys()]) if (!this.#queue.isHeld(other)) this.#drop(other);
    const seq = this.#klaus.store.view.head(session)?.seq ?? 0;
    const entry: Entry = {
      texts: new Map(),
      seq,
      stop: this.#klaus.handle(session).subscribe(seq, (event) => {
        if (event.seq <= entry.seq) return;
        applyEvent(entry, event);
        if (event.type === 'run.finished') this.#drop(session);
      }),
    };
    this.#entries.set(session, entry);
    return entry;
  }

  /** Applies events of other processes that have not been delivered to the subscription yet. */
  #catchUp(session: string, entry: Entry): void {
    try {
      for (const event of this.#klaus.store.view.events(session, entry.seq)) applyEvent(entry, event);
    } catch {
      // The subscribers of the session report an unreadable log.
      this.#drop(session);
    }
  }

  #drop(session: string): void {
    const entry = this.#entries.get(session);
    this.#entries.delete(session);
    entry?.texts.clear();
    entry?.stop();
  }
}

/** Removes text that the event completes or discards. */
function applyEvent(entry: Entry, event: Event): void {
  entry.seq = event.seq;
  const { texts } = entry;
  if (event.type === 'message.added') forgetMessages(texts, (message) => message === event.message.id);
  else if (event.type === 'tool.finished') texts.delete(event.call);
  else if (event.type === 'turn.started' || event.type === 'model.requested') forgetMessages(texts, () => true);
  else if (event.type === 'model.attempted' && event.outcome !== 'ok') forgetMessages(texts, () => true);
  else if (event.type === 'run.finished') texts.clear();
}

function forgetMessages(texts: Map<string, InFlightPiece>, fits: (message: string) => boolean): void {
  for (const [key, text] of [...texts]) if (text.type === 'message.delta' && fits(text.message)) texts.delete(key);
}
