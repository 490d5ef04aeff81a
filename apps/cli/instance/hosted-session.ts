import type { Event } from '@klaus/sdk';
import { driveSession, type DrivenSession, type PromptRequest, type SessionClient } from '@klaus/sdk/client';
import { openRuntimeLog } from './runtime-log.ts';
import { addFact, createFacts, toStatus, type SessionFacts } from './session-facts.ts';
import type { SessionStatus } from './protocol.ts';
import { SocketError } from './socket-error.ts';

/** A session that an instance keeps advancing, and whose runtime events it writes to a file. */
export interface HostedSession extends AsyncDisposable {
  readonly id: string;
  readonly facts: SessionFacts;
  readonly status: SessionStatus;
  /** File of the runtime events; null if this instance writes none. */
  readonly logPath: string | null;
  send(request: PromptRequest): Promise<void>;
  kick(): void;
  /** Cancels the run, also one that is about to start. */
  cancel(reason: string): Promise<void>;
  /**
   * Resolves when nothing is left to do, or the session waits for an approval.
   *
   * @param seconds Undefined: at once.
   * @throws SocketError `E_WAIT_TIMEOUT`, `E_SHUTTING_DOWN`.
   */
  settled(seconds: number | undefined): Promise<void>;
}

/** @param given.id The full id. @param given.logPath Absolute path; undefined: no file. @param given.ending Ends every wait. */
export async function hostSession(
  client: SessionClient,
  { id, logPath, ending }: { id: string; logPath: string | undefined; ending: AbortSignal },
): Promise<HostedSession> {
  const facts = createFacts();
  const log = logPath === undefined ? undefined : openRuntimeLog(logPath);
  let driven: DrivenSession;
  const changed = new Set<() => void>();
  const report = (): void => changed.forEach((listener) => listener());
  const onEvent = (event: Event): void => {
    addFact(facts, event);
    log?.add(event);
    report();
  };
  try {
    driven = await driveSession(client, { session: id, after: 0, onEvent, onState: report });
  } catch (error) {
    log?.[Symbol.dispose]();
    throw error;
  }
  const isHeld = (): boolean => driven.state?.state === 'working' || driven.state?.state === 'busy';
  return {
    id,
    facts,
    get logPath() {
      return log?.isComplete ? logPath! : null;
    },
    get status() {
      return driven.state?.state === 'failed' ? 'failed' : toStatus(facts, isHeld());
    },
    send: (request) => driven.send(request),
    kick: () => driven.kick(),
    async cancel(reason) {
      // A cancel request that arrives before the run has started stops nothing.
      while (facts.run === undefined && isHeld()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        changed.add(resolve);
        await promise;
        changed.delete(resolve);
      }
      if (facts.run !== undefined) await driven.cancel(reason);
    },
    async settled(seconds) {
      if (seconds === undefined || !isHeld()) return;
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      const late = new SocketError('E_WAIT_TIMEOUT', `The run of session ${id} did not end in ${seconds} s.`);
      const timer = setTimeout(() => reject(late), seconds * 1_000);
      const onEnding = (): void => reject(new SocketError('E_SHUTTING_DOWN', 'The instance is ending.'));
      ending.addEventListener('abort', onEnding);
      try {
        await Promise.race([driven.settled(), stopped]);
      } finally {
        clearTimeout(timer);
        ending.removeEventListener('abort', onEnding);
      }
    },
    async [Symbol.asyncDispose]() {
      await driven.dispose();
      log?.[Symbol.dispose]();
    },
  };
}
