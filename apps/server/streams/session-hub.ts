import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event, EventType, Live, Session } from '@klaus/sdk';
import type { SessionStatus } from '../contract/index.ts';
import { type EventStream, toFrame } from './event-stream.ts';
import type { InFlightText } from './in-flight-text.ts';
import type { Log } from '../observability/log.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { toQueue, toStatus, type ViewSources } from './session-view.ts';
import { onTick } from '../runs/shared-timer.ts';

export interface HubSources extends ViewSources {
  live: InFlightText;
  log: Log;
}

interface Subscriber {
  stream: EventStream;
  /** Last seq that it was sent. */
  seq: number;
  /** False while it reads the log up to now; then the hub tells it. */
  isLive: boolean;
}

/** Times as long as telling everybody took, for which the next frames are then collected: the rest of the server works too. */
const PAUSE = 0.25;
/** Milliseconds that this is at most. */
const MAX_PAUSE_MS = 100;
/** Characters of a log that are read and sent at once; others of the server's clients have their turn after each. */
const PART = 64 * 1_024;
/** Milliseconds after which a client tries again whether a log can be read. */
const UNREADABLE_MS = 30_000;
/** Events after which a session may stand elsewhere, whoever wrote them. */
const TURNING: ReadonlySet<EventType> = new Set(['run.started', 'run.finished', 'approval.asked', 'approval.answered']);

/**
 * Tells the subscribers of one session its events, in order and each once, and live text in between. There is one
 * for a session that somebody follows: an event is made text once, however many follow. A reader that is slow goes
 * back to reading the log, and loses nothing.
 */
export class SessionHub {
  readonly #sources: HubSources;
  readonly #session: Session;
  readonly #subscribers = new Set<Subscriber>();
  /** Messages of which live text was told, and no end. */
  readonly #unfinished = new Set<string>();
  readonly #stops: (() => void)[] = [];
  readonly #onUnused: () => void;
  #last: number;
  /** Frames that are told together: a write for each of them and each follower is most of the work. */
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  /** Before this moment of the process's clock nothing more is told. */
  #notBefore = 0;
  #queue: string;
  #status: SessionStatus | undefined;

  constructor(sources: HubSources, session: Session, onUnused: () => void) {
    const { klaus, queue, live } = sources;
    this.#sources = sources;
    this.#session = session;
    this.#onUnused = onUnused;
    this.#last = klaus.store.view.head(session.id)?.seq ?? 0;
    this.#queue = this.#readQueue();
    this.#status = toStatus(sources, session.id);
    for (const text of live.of(session.id)) if ('message' in text) this.#unfinished.add(text.message);
    this.#stops.push(
      // Whether another process still holds the session is no commit.
      onTick(() => this.#tick()),
      session.subscribe(this.#last, (event) => this.#onEvent(event)),
      session.onLive((live) => this.#onLive(live)),
      klaus.store.onSend(session.id, () => this.#tellQueue()),
      queue.onChange((changed) => {
        if (changed === session.id) this.#sendStatus();
      }),
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
    this.#catchErrors(this.#begin(subscriber));
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** A last word for everybody. */
  end(event: 'bye' | 'gone', toData: (seq: number) => unknown): void {
    this.#flush();
    for (const { stream, seq } of [...this.#subscribers]) stream.end(toFrame(event, JSON.stringify(toData(seq))));
  }

  /** The log cannot be read, as when a later Klaus writes it: everybody is told why, and to come again some time. */
  fail(error: unknown): void {
    const reason = toSentence(toProblem(error));
    this.#sources.log.error('a log cannot be told further', { session: this.#session.id, error });
    this.end('bye', (after) => ({ reason, retryMs: UNREADABLE_MS, after }));
  }

  #catchErrors(work: Promise<void>): void {
    work.catch((error: unknown) => this.fail(error));
  }

  async #begin(subscriber: Subscriber): Promise<void> {
    await this.#catchUp(subscriber);
    const { stream } = subscriber;
    this.#sayWhatNoLogSays(stream);
    stream.write(toFrame('ready', JSON.stringify({ seq: subscriber.seq })));
  }

  /** A reader that was slow reads the log, and is told what stands in none. */
  async #comeBack(subscriber: Subscriber): Promise<void> {
    await subscriber.stream.drained();
    await this.#catchUp(subscriber);
    this.#sayWhatNoLogSays(subscriber.stream);
  }

  /** Text on its way from its beginning, what waits, and where the session stands. */
  #sayWhatNoLogSays(stream: EventStream): void {
    for (const text of this.#sources.live.of(this.#session.id)) stream.write(toFrame('live', JSON.stringify(text)));
    stream.write(toFrame('queue', this.#queue));
    const status = this.#readStatus();
    if (status) stream.write(toFrame('status', JSON.stringify(status)));
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
    for (const { seq, text } of this.#sources.klaus.store.view.texts(this.#session.id, subscriber.seq)) {
      // Another process may have written more than the hub was told of yet.
      if (seq > this.#last) break;
      frames += toFrame('event', text, seq);
      subscriber.seq = seq;
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
    if (TURNING.has(event.type)) this.#sendStatus();
  }

  #onLive(live: Live): void {
    if (live.type === 'message.discarded') this.#unfinished.delete(live.message);
    else if (live.type === 'message.delta') this.#unfinished.add(live.message);
    this.#push(toFrame('live', JSON.stringify(live)));
  }

  /** For everybody who is up to date. */
  #push(frame: string): void {
    this.#pending += frame;
    if (!this.#timer) this.#wait();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = this.#pending;
    this.#pending = '';
    if (frames === '') return;
    const begun = performance.now();
    // Made bytes once, however many are told.
    const bytes = Buffer.from(frames);
    for (const subscriber of this.#subscribers) {
      if (!subscriber.isLive) continue;
      if (subscriber.stream.isBehind) {
        subscriber.isLive = false;
        this.#catchErrors(this.#comeBack(subscriber));
        continue;
      }
      subscriber.stream.write(bytes);
      subscriber.seq = this.#last;
    }
    // What was handed over is written before the next turn of the event loop: it counts too.
    this.#notBefore = begun + MAX_PAUSE_MS;
    setImmediate(() => {
      const ended = performance.now();
      this.#notBefore = ended + Math.min(MAX_PAUSE_MS, PAUSE * (ended - begun));
      if (this.#timer) this.#wait();
    });
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, this.#notBefore - performance.now()));
  }

  /** What an event says whole is no longer on its way. */
  #forget(event: Event): void {
    if (event.type === 'message.added') this.#unfinished.delete(event.message.id);
    else if (event.type === 'run.finished') this.#unfinished.clear();
  }

  /** Nothing while the server stops: that a run stands still then means nothing. */
  #readStatus(): SessionStatus | undefined {
    return this.#sources.queue.isStopping ? undefined : toStatus(this.#sources, this.#session.id);
  }

  #sendStatus(): void {
    this.#status = this.#readStatus();
    if (!this.#status) return;
    this.#push(toFrame('status', JSON.stringify(this.#status)));
    if (!this.#status.held) this.#leave();
  }

  /** Nobody works on it: nobody will end the messages that were on their way. */
  #leave(): void {
    for (const message of this.#unfinished)
      this.#onLive({ type: 'message.discarded', session: this.#session.id, message });
  }

  /** The claim of another process comes and goes without a word. */
  #tick(): void {
    const { klaus, queue } = this.#sources;
    const { id } = this.#session;
    if (!this.#status || queue.isRunning(id)) return;
    if (this.#status.held !== klaus.store.view.isClaimed(id)) this.#sendStatus();
  }

  #readQueue(): string {
    return JSON.stringify(toQueue(this.#sources.klaus.store.view.inbox(this.#session.id)));
  }

  #tellQueue(): void {
    const queue = this.#readQueue();
    if (queue === this.#queue) return;
    this.#queue = queue;
    this.#push(toFrame('queue', queue));
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
