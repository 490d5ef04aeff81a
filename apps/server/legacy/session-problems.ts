import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from './legacy-event.ts';
import { toProblem, toSentence } from '../http/problem.ts';

/** Why a session goes no further, under the name of the older protocol. */
function toNamed(session: string, error: unknown): LegacyEvent {
  const problem = toProblem(error);
  return { name: 'error', data: { error: toSentence(problem), code: problem.code, sessionId: session }, isEnd: true };
}

/** Why nothing is done in a session now although something is left to do; empty where there is no such reason. */
export function problemsOf({ queue }: Pick<Context, 'queue'>, session: string): LegacyEvent[] {
  const error = queue.problemOf(session);
  return error === undefined ? [] : [toNamed(session, error)];
}

/**
 * Tells from now on when a session goes no further although no run of it ended: it cannot be worked on, as under a
 * policy file that is broken, or its log cannot be read. Returns a function that ends it.
 */
export function onProblem(
  { klaus, queue }: Pick<Context, 'klaus' | 'queue'>,
  session: string,
  tell: (event: LegacyEvent) => void,
): () => void {
  let last = queue.problemOf(session);
  const stops = [
    klaus.store.view.onUnreadable((id, error) => void (id === session && tell(toNamed(session, error)))),
    queue.onChange((id) => {
      const error = id === session ? queue.problemOf(session) : undefined;
      if (error === undefined || error === last) return;
      last = error;
      tell(toNamed(session, error));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
