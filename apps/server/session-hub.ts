import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event, Klaus, Live, Session } from '@klaus/sdk';
import { type EventStream, toFrame } from './event-stream.ts';
import { toQueue } from './session-view.ts';

interface Subscriber {
  stream: EventStream;
  /** Last seq that it was sent. */
  seq: number;
  /** False while it reads the log up to now; then the hub tells it. */
  isLive: boolean;
}

/** Followers up to which nothing waits. */
const FEW = 20;
/** Milliseconds in which frames are collected where there are more. */
const COLLECT_MS = 20;
/** Characters of a log that are read and sent at once; others of the server's clients have their turn after each. */
const PART = 64 * 1_024;
/** Characters of a text on its way that somebody who comes later is shown; its end counts. */
const MAX_PARTIAL = 1_000_000;

/** Text that is on its way, as far as it came. */
type Partial = Extract<Live, { offset: number }>;

/**
 * Tells the subscribers of one session its events, in order and each once, and live text in between. There is one
 * for a session that somebody follows: an event is made text once, however many follow. A reader that is slow goes
 * back to reading the log, and loses nothing.
 */
export class SessionHub {
  readonly #klaus: Klaus;
  readonly #session: Session;
  readonly #subscribers = new Set<Subscriber>();
  readonly #partials = new Map<string, Partial>();
  readonly #stops: (() => void)[] = [];
  readonly #onUnused: () => void;
  #last: number;
  /** Frames that are told together: a write for each of them and each follower is most of the work. */
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  #queue: string;

  constructor(klaus: Klaus, session: Session, onUnused: () => void) {
    this.#klaus = klaus;
    this.#session = session;
    this.#onUnused = onUnused;
    this.#last = klaus.store.head(session.id)?.seq ?? 0;
    this.#queue = this.#readQueue();
    this.#stops.push(
      session.subscribe(this.#last, (event) => this.#onEvent(event)),
      session.onLive((live) => this.#onLive(live)),
      klaus.store.onSend(session.id, () => this.#tellQueue()),
    );
  }

  /** Sends what came after `after`, then what comes. */
  add(stream: EventStream, after: number): void {
    const subscriber: Subscriber = { stream, seq: after, isLive: false };
    this.#subscribers.add(subscriber);
    stream.onClose(() => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#close();
    });
    void this.#begin(subscriber);
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** A last word for everybody. */
  end(event: 'bye' | 'gone', toData: (seq: number) => unknown): void {
    this.#flush();
    for (const { stream, seq } of [...this.#subscribers]) stream.end(toFrame(event, JSON.stringify(toData(seq))));
  }

  async #begin(subscriber: Subscriber): Promise<void> {
    await this.#catchUp(subscriber);
    const { stream } = subscriber;
    stream.write(toFrame('queue', this.#queue));
    for (const partial of this.#partials.values()) stream.write(toFrame('live', JSON.stringify(partial)));
    stream.write(toFrame('ready', JSON.stringify({ seq: subscriber.seq })));
  }

  /** Reads the log until nothing is missing, no faster than the reader takes it. */
  async #catchUp(subscriber: Subscriber): Promise<void> {
    const { stream } = subscriber;
    while (!stream.closed) {
      const isRest = this.#sendPart(subscriber);
      if (stream.isBehind) await stream.drained();
      // What was committed since the last look is told by the hub from here on.
      else if (isRest && subscriber.seq >= this.#last) break;
      else await nextTurn();
    }
    // What waits to be told is in the log that was just read, or of no use without what came before.
    this.#flush();
    subscriber.isLive = true;
  }

  /** Sends some of what a subscriber lacks in one write. @returns Whether that was all. */
  #sendPart(subscriber: Subscriber): boolean {
    let frames = '';
    let isRest = true;
    for (const event of this.#session.events(subscriber.seq)) {
      // Another process may have written more than the hub was told of yet.
      if (event.seq > this.#last) break;
      frames += toEventFrame(event);
      subscriber.seq = event.seq;
      isRest = frames.length < PART;
      if (!isRest) break;
    }
    if (frames !== '') subscriber.stream.write(frames);
    return isRest;
  }

  #onEvent(event: Event): void {
    this.#last = event.seq;
    this.#forget(event);
    this.#push(toEventFrame(event));
    // Only these take something out of the inbox that waited there.
    if (event.type === 'message.added' || event.type === 'run.started' || event.type === 'run.finished')
      this.#tellQueue();
  }

  #onLive(live: Live): void {
    if (live.type === 'message.discarded') this.#drop(live.message);
    else {
      const key = live.type === 'tool.progress' ? live.call : `${live.message}/${live.part}`;
      const before = this.#partials.get(key);
      const text = before === undefined ? live.text : before.text.slice(0, live.offset - before.offset) + live.text;
      const cut = Math.max(0, text.length - MAX_PARTIAL);
      this.#partials.set(key, { ...live, offset: (before?.offset ?? live.offset) + cut, text: text.slice(cut) });
    }
    this.#push(toFrame('live', JSON.stringify(live)));
  }

  /** For everybody who is up to date. */
  #push(frame: string): void {
    this.#pending += frame;
    this.#timer ??= setTimeout(() => this.#flush(), this.#subscribers.size > FEW ? COLLECT_MS : 0);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = this.#pending;
    this.#pending = '';
    if (frames === '') return;
    for (const subscriber of this.#subscribers) {
      if (!subscriber.isLive) continue;
      if (subscriber.stream.isBehind) {
        subscriber.isLive = false;
        void subscriber.stream.drained().then(() => this.#catchUp(subscriber));
        continue;
      }
      subscriber.stream.write(frames);
      subscriber.seq = this.#last;
    }
  }

  /** What an event says whole is no longer on its way. */
  #forget(event: Event): void {
    if (event.type === 'message.added') this.#drop(event.message.id);
    else if (event.type === 'tool.finished') this.#partials.delete(event.call);
    else if (event.type === 'run.finished') this.#partials.clear();
  }

  #drop(message: string): void {
    for (const key of [...this.#partials.keys()]) if (key.startsWith(`${message}/`)) this.#partials.delete(key);
  }

  #readQueue(): string {
    return JSON.stringify(toQueue(this.#klaus.store.inbox(this.#session.id)));
  }

  #tellQueue(): void {
    const queue = this.#readQueue();
    if (queue === this.#queue) return;
    this.#queue = queue;
    this.#push(toFrame('queue', queue));
  }

  #close(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
    this.#onUnused();
  }
}

const frames = new WeakMap<Event, string>();

function toEventFrame(event: Event): string {
  let frame = frames.get(event);
  if (frame === undefined) frames.set(event, (frame = toFrame('event', JSON.stringify(event), event.seq)));
  return frame;
}
