import type { Live } from '@klaus/sdk';
import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from './legacy-event.ts';
import { createLegacyEvents } from './legacy-events.ts';
import { onProblem, problemsOf } from './session-problems.ts';

/** Milliseconds between two words about a call that is running; the older protocol's clients expect one every 2 s. */
const PROGRESS_MS = 1_500;

export interface FollowNamedOptions {
  /** A whole id. */
  session: string;
  /** Seq of the last event that is known already. */
  after: number;
  /**
   * Whoever follows sends a prompt now: a run that is over already is none of its business, although its summary, and
   * so its end, may still be to come.
   */
  isPrompting?: boolean;
  /** @param seq Of the event that it was made of; undefined for what is not in the log. */
  tell: (event: LegacyEvent, seq: number | undefined) => void;
}

/** A session that is followed. */
export interface FollowedNamed {
  /** The run that began last before. */
  lastRun: string | undefined;
  stop: () => void;
}

/**
 * Tells a session under the names of the older protocol, from a seq on; in the middle of an answer, also what was said
 * of it before.
 */
export function followNamed(
  context: Pick<Context, 'klaus' | 'live' | 'queue'>,
  { session, after, isPrompting = false, tell }: FollowNamedOptions,
): FollowedNamed {
  const { klaus, live } = context;
  const handle = klaus.handle(session);
  const named = createLegacyEvents(session);
  // Sums and counts are of the whole session, also of what is not told.
  for (const event of klaus.store.view.events(session)) {
    if (event.seq > after) break;
    named.event(event);
  }
  if (isPrompting) named.forgetEnd();
  const { lastRun } = named;
  const show = (piece: Live): void => named.live(piece).forEach((made) => tell(made, undefined));
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  /** There is a timer while calls are running, and at no other time. */
  const watchCalls = (): void => {
    if (named.hasRunningCalls && !isOver) timer ??= setInterval(showProgress, PROGRESS_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const showProgress = (): void => {
    // A call whose process is gone, or that waits for a human, is not running, whatever the log says.
    if (isHeld(context, session)) named.progress().forEach((made) => tell(made, undefined));
  };
  const stops = [
    () => void (isOver = true),
    handle.subscribe(after, (event) => {
      named.event(event).forEach((made) => tell(made, event.seq));
      watchCalls();
    }),
    handle.onLive(show),
    onProblem(context, session, (made) => tell(made, undefined)),
    watchCalls,
  ];
  watchCalls();
  // The first events come in a microtask too: what the log says is told before what it does not say yet.
  queueMicrotask(() => {
    if (!isOver) live.of(session).forEach(show);
  });
  return {
    lastRun,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** True while a process works on the session. */
export function isHeld({ klaus, queue }: Pick<Context, 'klaus' | 'queue'>, session: string): boolean {
  return queue.isRunning(session) || klaus.store.view.isClaimed(session);
}

/** What somebody who comes without knowing anything is told: the open questions or, where nothing is at work, how the last run ended, and why nothing is at work where something should be. */
export function toCurrentEvents(context: Pick<Context, 'klaus' | 'queue'>, session: string): LegacyEvent[] {
  const { klaus } = context;
  const named = createLegacyEvents(session);
  const open = new Set(klaus.store.view.approvals({ open: true, session }).map(({ id }) => id));
  const standing: LegacyEvent[] = [];
  let end: LegacyEvent[] = [];
  for (const event of klaus.store.view.events(session)) {
    const made = named.event(event);
    if (event.type === 'run.started') end = [];
    else if (made.some(({ isEnd }) => isEnd)) end = made;
    else if (event.type === 'approval.asked' && open.has(event.approval)) standing.push(...made);
  }
  // Who works on it makes the summary, with which the end comes.
  if (!isHeld(context, session)) end.push(...named.settle());
  return [...standing, ...end, ...problemsOf(context, session)];
}
