import type { Event, Klaus, Live } from '@klaus/sdk';
import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from './legacy-event.ts';
import { createLegacyEvents } from './legacy-events.ts';
import { onProblemEvent, readProblemEvents } from './session-problems.ts';

/** Milliseconds between two progress events of a running call. Clients of the older protocol expect one every 2 s. */
const PROGRESS_MS = 1_500;

export interface FollowLegacyOptions {
  /** Of `readLegacyEvents`. */
  legacy: LegacyLog;
  /** Called in order. @param seq Of the source event; undefined for what is not in the log. */
  onEvent: (event: LegacyEvent, seq: number | undefined) => void;
}

/** The events of a session up to a seq, in the older protocol. */
export interface LegacyLog {
  session: string;
  after: number;
  events: ReturnType<typeof createLegacyEvents>;
  /** The last run that started up to that seq. */
  lastRun: string | undefined;
}

/**
 * Reads what `followLegacyEvents` starts from: sums and counts include the events that are not sent.
 *
 * @param given.session A complete id.
 * @param given.after Seq of the last known event.
 * @param given.isPrompting True for a client that sends a prompt now. It does not receive the pending end of an earlier run.
 */
export async function readLegacyEvents(
  klaus: Klaus,
  { session, after, isPrompting = false }: { session: string; after: number; isPrompting?: boolean },
): Promise<LegacyLog> {
  const events = createLegacyEvents(session);
  for await (const event of readEach(klaus, session)) {
    if (event.seq > after) break;
    events.event(event);
  }
  if (isPrompting) events.dropEnd();
  return { session, after, events, lastRun: events.lastRun };
}

/** The events of a log, one by one. */
export async function* readEach(klaus: Klaus, session: string): AsyncGenerator<Event, void, undefined> {
  for await (const events of klaus.store.read(session)) yield* events;
}

/** Sends the events of a session after a seq in the older protocol, with the in-flight text of the current answer. @returns A function that stops it. */
export function followLegacyEvents(
  context: Pick<Context, 'klaus' | 'live' | 'queue'>,
  { legacy: { session, after, events: legacy }, onEvent }: FollowLegacyOptions,
): () => void {
  const { klaus, live } = context;
  const handle = klaus.handle(session);
  const sendLive = (piece: Live): void => legacy.live(piece).forEach((it) => onEvent(it, undefined));
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const updateTimer = (): void => {
    if (legacy.hasRunningCalls && !isStopped) timer ??= setInterval(sendProgress, PROGRESS_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const sendProgress = (): void => {
    // A call whose process has ended, or that waits for an approval, is not running although the log has no result.
    if (context.queue.isHeld(session)) legacy.progress().forEach((it) => onEvent(it, undefined));
  };
  const stops = [
    () => void (isStopped = true),
    handle.subscribe(after, (event) => {
      legacy.event(event).forEach((it) => onEvent(it, event.seq));
      updateTimer();
    }),
    handle.onLive(sendLive),
    onProblemEvent(context, session, (it) => onEvent(it, undefined)),
    updateTimer,
  ];
  updateTimer();
  // The subscription delivers its first events in a microtask. In-flight text follows them.
  void live.update(session).then(() => {
    if (!isStopped) live.of(session).forEach(sendLive);
  });
  return () => stops.forEach((stop) => stop());
}

/** The events that show a new client the current state: the open questions, the end of the last run, and a problem. */
export async function readCurrentEvents(
  context: Pick<Context, 'klaus' | 'queue'>,
  session: string,
): Promise<LegacyEvent[]> {
  const { klaus } = context;
  const legacy = createLegacyEvents(session);
  const open = new Set(klaus.store.view.approvals({ open: true, session }).map(({ id }) => id));
  const questions: LegacyEvent[] = [];
  let end: LegacyEvent[] = [];
  for await (const event of readEach(klaus, session)) {
    const converted = legacy.event(event);
    if (event.type === 'run.started') end = [];
    else if (converted.some(({ isEnd }) => isEnd)) end = converted;
    else if (event.type === 'approval.asked' && open.has(event.approval)) questions.push(...converted);
  }
  // The process that holds the session may still make the summary.
  if (!context.queue.isHeld(session)) end.push(...legacy.flushEnd());
  return [...questions, ...end, ...readProblemEvents(context, session)];
}
