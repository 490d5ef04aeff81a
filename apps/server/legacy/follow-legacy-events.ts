import type { Live } from '@klaus/sdk';
import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from './legacy-event.ts';
import { createLegacyEvents } from './legacy-events.ts';
import { onProblemEvent, readProblemEvents } from './session-problems.ts';

/** Milliseconds between two progress events of a running call. Clients of the older protocol expect one every 2 s. */
const PROGRESS_MS = 1_500;

export interface FollowLegacyOptions {
  /** A complete id. */
  session: string;
  /** Seq of the last known event. */
  after: number;
  /** True for a client that sends a prompt now. It does not receive the pending end of an earlier run. */
  isPrompting?: boolean;
  /** @param seq Of the source event; undefined for what is not in the log. */
  onEvent: (event: LegacyEvent, seq: number | undefined) => void;
}

/** Sends the events of a session after a seq in the older protocol, with the in-flight text of the current answer. */
export function followLegacyEvents(
  context: Pick<Context, 'klaus' | 'live' | 'queue'>,
  { session, after, isPrompting = false, onEvent }: FollowLegacyOptions,
) {
  const { klaus, live } = context;
  const handle = klaus.handle(session);
  const legacy = createLegacyEvents(session);
  // Sums and counts include the events that are not sent.
  for (const event of klaus.store.view.events(session)) {
    if (event.seq > after) break;
    legacy.event(event);
  }
  if (isPrompting) legacy.dropEnd();
  const { lastRun } = legacy;
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
  queueMicrotask(() => {
    if (!isStopped) live.of(session).forEach(sendLive);
  });
  return {
    /** The last run that started before the subscription. */
    lastRun,
    stop: (): void => {
      for (const stop of stops) stop();
    },
  };
}

/** The events that show a new client the current state: the open questions, the end of the last run, and a problem. */
export function readCurrentEvents(context: Pick<Context, 'klaus' | 'queue'>, session: string): LegacyEvent[] {
  const { klaus } = context;
  const legacy = createLegacyEvents(session);
  const open = new Set(klaus.store.view.approvals({ open: true, session }).map(({ id }) => id));
  const questions: LegacyEvent[] = [];
  let end: LegacyEvent[] = [];
  for (const event of klaus.store.view.events(session)) {
    const converted = legacy.event(event);
    if (event.type === 'run.started') end = [];
    else if (converted.some(({ isEnd }) => isEnd)) end = converted;
    else if (event.type === 'approval.asked' && open.has(event.approval)) questions.push(...converted);
  }
  // The process that holds the session may still make the summary.
  if (!context.queue.isHeld(session)) end.push(...legacy.flushEnd());
  return [...questions, ...end, ...readProblemEvents(context, session)];
}
