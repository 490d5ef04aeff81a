import type { Live } from '@klaus/sdk';
import type { Context } from '../handler.ts';
import { createNamedEvents, type NamedEvent } from '../named-events.ts';
import { onProblem, problemsOf } from '../session-problems.ts';

export interface FollowNamedOptions {
  /** A whole id. */
  session: string;
  /** Seq of the last event that is known already. */
  after: number;
  /** @param seq Of the event that it was made of; undefined for live text. */
  tell: (event: NamedEvent, seq: number | undefined) => void;
}

/**
 * Tells a session under the names of the older protocol, from a seq on; in the middle of an answer, also what was said
 * of it before. Returns a function that ends it.
 */
export function followNamed(
  context: Pick<Context, 'klaus' | 'live' | 'queue'>,
  { session, after, tell }: FollowNamedOptions,
): () => void {
  const { klaus, live } = context;
  const handle = klaus.session(session);
  const named = createNamedEvents(session);
  // Sums and counts are of the whole session, also of what is not told.
  for (const event of handle.events()) {
    if (event.seq > after) break;
    named.event(event);
  }
  const show = (piece: Live): void => named.live(piece).forEach((made) => tell(made, undefined));
  let isOver = false;
  const stops = [
    () => void (isOver = true),
    handle.subscribe(after, (event) => named.event(event).forEach((made) => tell(made, event.seq))),
    handle.onLive(show),
    onProblem(context, session, (made) => tell(made, undefined)),
  ];
  // The first events come in a microtask too: what the log says is told before what it does not say yet.
  queueMicrotask(() => {
    if (!isOver) live.of(session).forEach(show);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** What somebody who comes without knowing anything is told: the open questions or, where nothing is at work, how the last run ended, and why nothing is at work where something should be. */
export function toStanding(context: Pick<Context, 'klaus' | 'queue'>, session: string): NamedEvent[] {
  const { klaus } = context;
  const named = createNamedEvents(session);
  const open = new Set(klaus.store.approvals({ open: true, session }).map(({ id }) => id));
  const standing: NamedEvent[] = [];
  let end: NamedEvent[] = [];
  for (const event of klaus.session(session).events()) {
    const made = named.event(event);
    if (event.type === 'run.started') end = [];
    else if (event.type === 'run.finished') end = made;
    else if (event.type === 'approval.asked' && open.has(event.approval)) standing.push(...made);
  }
  return [...standing, ...end, ...problemsOf(context, session)];
}
