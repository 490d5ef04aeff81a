import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from './legacy-event.ts';
import { toProblem, toSentence } from '../http/problem.ts';

/** The `error` event of a session that cannot continue. */
function toErrorEvent(session: string, error: unknown): LegacyEvent {
  const problem = toProblem(error);
  return { name: 'error', data: { error: toSentence(problem), code: problem.code, sessionId: session }, isEnd: true };
}

/** The problem that prevents a session from running, as an event; empty without one. */
export function readProblemEvents({ queue }: Pick<Context, 'queue'>, session: string): LegacyEvent[] {
  const error = queue.problemOf(session);
  return error === undefined ? [] : [toErrorEvent(session, error)];
}

/**
 * Reports from now on when a session cannot continue although no run has ended, because of an invalid policy file or an
 * unreadable log. Returns a function that stops it.
 */
export function onProblemEvent(
  { klaus, queue }: Pick<Context, 'klaus' | 'queue'>,
  session: string,
  onEvent: (event: LegacyEvent) => void,
): () => void {
  let last = queue.problemOf(session);
  const stops = [
    klaus.store.view.onUnreadable((id, error) => void (id === session && onEvent(toErrorEvent(session, error)))),
    queue.onChange((id) => {
      const error = id === session ? queue.problemOf(session) : undefined;
      if (error === undefined || error === last) return;
      last = error;
      onEvent(toErrorEvent(session, error));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
