import type { Event, Klaus, Live } from '@klaus/sdk';
import type { RunQueue } from '../runs/run-queue.ts';

/** Characters of a text on its way that are kept, its end; of a longer one up to twice as many, so that it is seldom cut. */
const KEPT_CHARS = 1_000_000;

/** Text that is on its way, as far as it came. */
export type LiveText = Extract<Live, { offset: number }>;

/** Pieces with the same key go on where another ends. */
function keyOf(text: LiveText): string {
  return text.type === 'tool.progress' ? text.call : `${text.message}/${text.part}`;
}

interface Entry {
  texts: Map<string, LiveText>;
  /** Of the last event that was looked at. */
  seq: number;
  stop: () => void;
}

/**
 * Keeps what is on its way in each session, from its beginning: whoever comes in the middle of an answer, as after a
 * restart of the server, would else miss what was said before, and a client that can only append could be told nothing
 * until the message is whole.
 */
export class InFlightText {
  readonly #klaus: Klaus;
  readonly #queue: RunQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #unlisten: () => void;

  constructor({ klaus, queue }: { klaus: Klaus; queue: RunQueue }) {
    this.#klaus = klaus;
    this.#queue = queue;
    this.#unlisten = klaus.store.onLive((live) => this.#take(live));
  }

  /** What a session has on its way at this moment and its log does not say, in order of appearance. */
  of(session: string): LiveText[] {
    const entry = this.#entries.get(session);
    if (!entry) return [];
    if (!this.#isHeld(session)) this.#drop(session);
    else this.#catchUp(session, entry);
    return [...entry.texts.values()];
  }

  close(): void {
    this.#unlisten();
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
    // Behind a gap, as of a process that could not send for a while, it begins anew.
    const before = known && live.offset <= known.offset + known.text.length ? known : undefined;
    const text = before === undefined ? live.text : before.text.slice(0, live.offset - before.offset) + live.text;
    const cut = text.length > 2 * KEPT_CHARS ? text.length - KEPT_CHARS : 0;
    texts.set(key, { ...live, offset: (before?.offset ?? live.offset) + cut, text: text.slice(cut) });
  }

  #begin(session: string): Entry {
    // A process that was killed says no end of what it had begun.
    for (const other of [...this.#entries.keys()]) if (!this.#isHeld(other)) this.#drop(other);
    const seq = this.#klaus.store.view.head(session)?.seq ?? 0;
    const entry: Entry = {
      texts: new Map(),
      seq,
      stop: this.#klaus.handle(session).subscribe(seq, (event) => {
        if (event.seq <= entry.seq) return;
        settle(entry, event);
        if (event.type === 'run.finished') this.#drop(session);
      }),
    };
    this.#entries.set(session, entry);
    return entry;
  }

  /** Another process may have written more than this one was told of yet. */
  #catchUp(session: string, entry: Entry): void {
    try {
      for (const event of this.#klaus.store.view.events(session, entry.seq)) settle(entry, event);
    } catch {
      // A log that cannot be read is the concern of those who follow it: what it says already is not known here.
      this.#drop(session);
    }
  }

  #isHeld(session: string): boolean {
    return this.#queue.isRunning(session) || this.#klaus.store.view.isClaimed(session);
  }

  #drop(session: string): void {
    const entry = this.#entries.get(session);
    this.#entries.delete(session);
    entry?.texts.clear();
    entry?.stop();
  }
}

/** Takes away what an event says whole, and what no event will ever say. */
function settle(entry: Entry, event: Event): void {
  entry.seq = event.seq;
  const { texts } = entry;
  if (event.type === 'message.added') forgetMessages(texts, (message) => message === event.message.id);
  else if (event.type === 'tool.finished') texts.delete(event.call);
  else if (event.type === 'turn.started' || event.type === 'model.requested') forgetMessages(texts, () => true);
  else if (event.type === 'model.attempted' && event.outcome !== 'ok') forgetMessages(texts, () => true);
  else if (event.type === 'run.finished') texts.clear();
}

function forgetMessages(texts: Map<string, LiveText>, fits: (message: string) => boolean): void {
  for (const [key, text] of [...texts]) if (text.type === 'message.delta' && fits(text.message)) texts.delete(key);
}
