import { setImmediate as nextTurn } from 'node:timers/promises';
import { toQueuedMessages, type Event, type EventType, type Live, type Session } from '@klaus/sdk';
import type { SessionStatus } from '../contract/index.ts';
import { type EventStream, toFrame } from './event-stream.ts';
import type { InFlightText } from './in-flight-text.ts';
import type { Log } from '../observability/log.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { toStatus, type ViewSources } from './session-view.ts';
import { everySecond } from '../runs/shared-timer.ts';

export interface HubSources extends ViewSources {
  live: InFlightText;
  log: Log;
}

interface Subscriber {
  stream: EventStream;
  /** Last seq that it was sent. */
  seq: number;
  /** False while it reads the log; true once the hub sends it new events. */
  isLive: boolean;
}

/** Frames are collected for this part of the time that the last write took, so that other work can proceed. */
const PAUSE_RATIO = 0.25;
/** Most milliseconds for which frames are collected. */
const MAX_PAUSE_MS = 100;
/** Characters of a log that are sent at once. Other clients are served in between. */
const CHUNK = 64 * 1_024;
/** Milliseconds after which a client retries an unreadable log. */
const UNREADABLE_RETRY_MS = 30_000;
const STATUS_EVENTS: ReadonlySet<EventType> = new Set([
  'run.started',
  'run.finished',
  'approval.asked',
  'approval.answered',
]);

/**
 * Sends the events of one session to its subscribers, in order and each once, with in-flight text in between. All
 * subscribers of a session share one hub, which serializes each event once. A slow subscriber reads the log again and
 * loses nothing.
 */
export class SessionHub {
  readonly #sources: HubSources;
  readonly #session: Session;
  readonly #subscribers = new Set<Subscriber>();
  /** Messages whose in-flight text was sent and that are not complete. */
  readonly #unfinished = new Set<string>();
  readonly #stops: (() => void)[] = [];
  #last: number;
  /** Frames that are written together: single writes would dominate the cost. */
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  /** Time of the process clock before which nothing is written. */
  #notBefore = 0;
  #queue: string;
  #status: SessionStatus | undefined;

  constructor(sources: HubSources, session: Session, onUnused: () => void) {
    const { klaus, queue, live } = sources;
    this.#sources = sources;
    this.#session = session;
    this.#last = klaus.store.view.head(session.id)?.seq ?? 0;
    this.#queue = this.#readQueue();
    this.#status = toStatus(sources, session.id);
    for (const text of live.of(session.id)) if ('message' in text) this.#unfinished.add(text.message);
    this.#stops.push(
      // The end of the process that holds the session is not a commit.
      everySecond(() => this.#tick()),
      session.subscribe(this.#last, (event) => this.#onEvent(event)),
      session.onLive((live) => this.#onLive(live)),
      klaus.store.onSend(session.id, () => this.#sendQueue()),
      queue.onChange((changed) => {
        if (changed === session.id) this.#sendStatus();
      }),
      onUnused,
    );
  }

  /** Sends the events after `after`, then new ones. */
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

  end(event: 'bye' | 'gone', toData: (seq: number) => unknown): void {
    this.#flush();
    for (const { stream, seq } of [...this.#subscribers]) stream.end(toFrame(event, JSON.stringify(toData(seq))));
  }

  /** Ends all streams because the log cannot be read, such as one of a newer Klaus. Clients retry later. */
  endUnreadable(error: unknown): void {
    const reason = toSentence(toProblem(error));
    this.#sources.log.error('a log cannot be read further', { session: this.#session.id, error });
    this.end('bye', (after) => ({ reason, retryMs: UNREADABLE_RETRY_MS, after }));
  }

  #catchErrors(work: Promise<void>): void {
    work.catch((error: unknown) => this.endUnreadable(error));
  }

  async #begin(subscriber: Subscriber): Promise<void> {
    await this.#sources.live.update(this.#session.id);
    await this.#catchUp(subscriber);
    const { stream } = subscriber;
    this.#sendEphemeral(stream);
    stream.write(toFrame('ready', JSON.stringify({ seq: subscriber.seq })));
  }

  /** A slow subscriber reads the log, then receives the ephemeral state again. */
  async #rejoin(subscriber: Subscriber): Promise<void> {
    await subscriber.stream.drained();
    await this.#catchUp(subscriber);
    this.#sendEphemeral(subscriber.stream);
  }

  /** Sends what is not in the log: in-flight text from its start, the queue and the status. */
  #sendEphemeral(stream: EventStream): void {
    for (const text of this.#sources.live.of(this.#session.id)) stream.write(toFrame('live', JSON.stringify(text)));
    stream.write(toFrame('queue', this.#queue));
    const status = this.#readStatus();
    if (status) stream.write(toFrame('status', JSON.stringify(status)));
  }

  /** Sends the log up to the present, no faster than the client reads. */
  async #catchUp(subscriber: Subscriber): Promise<void> {
    const { stream } = subscriber;
    while (!stream.closed) {
      const isLast = await this.#sendChunk(subscriber);
      if (stream.isBehind) await stream.drained();
      // From here on the hub sends new events.
      else if (isLast && subscriber.seq >= this.#last) break;
      else await nextTurn();
    }
    // Pending frames are in the log that was just read, or are useless without it.
    this.#flush();
    subscriber.isLive = true;
  }

  /** Sends the next chunk of the log in one write. @returns True if it was the last. */
  async #sendChunk(subscriber: Subscriber): Promise<boolean> {
    let frames = '';
    let isLast = true;
    for await (const { seq, text } of this.#sources.klaus.store.texts(this.#session.id, subscriber.seq)) {
      // Another process may have written events that the hub has not received yet.
      if (seq > this.#last) break;
      frames += toFrame('event', text, seq);
      subscriber.seq = seq;
      isLast = frames.length < CHUNK;
      if (!isLast) break;
    }
    if (frames !== '') subscriber.stream.write(frames);
    return isLast;
  }

  #onEvent(event: Event): void {
    this.#last = event.seq;
    // The in-flight text that a new subscriber gets fits the events that it got.
    this.#sources.live.apply(event);
    if (event.type === 'message.added') this.#unfinished.delete(event.message.id);
    else if (event.type === 'run.finished') this.#unfinished.clear();
    this.#push(toEventFrame(event));
    // Only these events consume commands of the inbox.
    if (event.type === 'message.added' || event.type === 'run.started' || event.type === 'run.finished')
      this.#sendQueue();
    if (STATUS_EVENTS.has(event.type)) this.#sendStatus();
  }

  #onLive(live: Live): void {
    if (live.type === 'message.discarded') this.#unfinished.delete(live.message);
    else if (live.type === 'message.delta') this.#unfinished.add(live.message);
    this.#push(toFrame('live', JSON.stringify(live)));
  }

  /** Queues a frame for all live subscribers. */
  #push(frame: string): void {
    this.#pending += frame;
    if (!this.#timer) this.#schedule();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = this.#pending;
    this.#pending = '';
    if (frames === '') return;
    const begun = performance.now();
    // Encoded once for all subscribers.
    const bytes = Buffer.from(frames);
    for (const subscriber of this.#subscribers) {
      if (!subscriber.isLive) continue;
      if (subscriber.stream.isBehind) {
        subscriber.isLive = false;
        this.#catchErrors(this.#rejoin(subscriber));
        continue;
      }
      subscriber.stream.write(bytes);
      subscriber.seq = this.#last;
    }
    // The sockets write before the next turn of the event loop. That time counts too.
    this.#notBefore = begun + MAX_PAUSE_MS;
    setImmediate(() => {
      const ended = performance.now();
      this.#notBefore = ended + Math.min(MAX_PAUSE_MS, PAUSE_RATIO * (ended - begun));
      if (this.#timer) this.#schedule();
    });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, this.#notBefore - performance.now()));
  }

  /** Undefined during shutdown, when a paused run is not a change of status. */
  #readStatus(): SessionStatus | undefined {
    return this.#sources.queue.isStopping ? undefined : toStatus(this.#sources, this.#session.id);
  }

  #sendStatus(): void {
    this.#status = this.#readStatus();
    if (!this.#status) return;
    this.#push(toFrame('status', JSON.stringify(this.#status)));
    if (!this.#status.held) this.#discardUnfinished();
  }

  /** No process holds the session: its unfinished messages will never complete. */
  #discardUnfinished(): void {
    for (const message of this.#unfinished)
      this.#onLive({ type: 'message.discarded', session: this.#session.id, message });
  }

  /** Detects that another process claimed or released the session. */
  #tick(): void {
    const { klaus, queue } = this.#sources;
    const { id } = this.#session;
    if (!this.#status || queue.isRunning(id)) return;
    if (this.#status.held !== klaus.store.view.isClaimed(id)) this.#sendStatus();
  }

  #readQueue(): string {
    return JSON.stringify(toQueuedMessages(this.#sources.klaus.store.view.inbox(this.#session.id)));
  }

  #sendQueue(): void {
    const queue = this.#readQueue();
    if (queue === this.#queue) return;
    this.#queue = queue;
    this.#push(toFrame('queue', queue));
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const stop of this.#stops) stop();
  }
}

const frames = new WeakMap<Event, string>();

function toEventFrame(event: Event): string {
  let frame = frames.get(event);
  if (frame === undefined) frames.set(event, (frame = toFrame('event', JSON.stringify(event), event.seq)));
  return frame;
}
