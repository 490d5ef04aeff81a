import { toPlain } from './to-plain.ts';
import { openedLogs, type SessionState } from './session-log.ts';

/** Where the page is in the log of a session. */
interface Position {
  session: string;
  /** Seq of the last event. */
  seq: number;
  /** Events that were taken in: the same number, unless one is missing or came twice. */
  events: number;
  link: SessionState['link'];
}

/**
 * What the page shows, for a report of a fault and for tests: `klaus` in the console of the browser. It gives copies
 * as JSON has them (a Map as its entries, a Set as a list), so nothing can be changed by it.
 */
interface Inspection {
  /** Undefined where no session is shown, or only its end so far. */
  position(): Position | undefined;
  /** The state that is drawn: the fold of the log, and text on its way. */
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
