import { toPlain } from './to-plain.ts';
import { openedLogs, type SessionState } from './session-log.ts';

/** The position of the page in the log of a session. */
interface Position {
  session: string;
  /** Seq of the last event. */
  seq: number;
  /** Number of folded events: equal to `seq`, unless an event is missing or arrived twice. */
  events: number;
  link: SessionState['link'];
}

/**
 * Read-only access to the state of the page for bug reports and tests: `klaus` in the console of the browser. Returns
 * copies that JSON can represent (a Map as its entries, a Set as a list).
 */
interface Inspection {
  /** Undefined without a session, and until the session is completely loaded. */
  position(): Position | undefined;
  /** The rendered state: the fold of the log and in-flight text. */
  session(): unknown;
}

declare global {
  var klaus: Inspection;
}

export function exposeInspection(): void {
  const current = () => [...openedLogs()].at(-1)?.get();
  const value: Inspection = Object.freeze({
    position() {
      const state = current();
      if (!state?.isComplete) return undefined;
      const { conversation, events, link } = state;
      return { session: conversation.session, seq: conversation.seq, events, link };
    },
    session: () => toPlain(current()),
  });
  Object.defineProperty(globalThis, 'klaus', { value });
}
