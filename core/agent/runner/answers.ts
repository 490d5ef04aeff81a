import type { Command, EventBody } from '../../protocol/index.ts';
import { expireApprovals, receive } from '../loop/inbox.ts';
import { isReceivable } from '../loop/receivable.ts';
import type { Work } from '../loop/work.ts';

/** Commands that apply during a turn of the agent. All others wait for its end. */
const DURING_TURN: ReadonlySet<Command['type']> = new Set(['approve', 'limits', 'change', 'revoke', 'scope']);

export interface Answers {
  /** Resolves when the approval is answered or has expired, or after `signal` is aborted. */
  until(approval: string, signal: AbortSignal): Promise<void>;
  /** Stops listening and waits for what it has begun. @throws What the store threw. */
  close(): Promise<void>;
}

export interface ReceiveOptions {
  /** Commands that are received. Default: those that apply during a turn of an agent. */
  types?: ReadonlySet<Command['type']>;
  /** Called with the events of a command after they were appended. */
  onReceived?: (bodies: readonly EventBody[], command: Command) => void;
}

/** Receives answers and other commands while a process waits for them, so that the session stays held. */
export function receiveAnswers(work: Work, { types = DURING_TURN, onReceived }: ReceiveOptions = {}): Answers {
  const { engine, session, state } = work;
  let changed = Promise.withResolvers<void>();
  let failure: { error: unknown } | undefined;
  let receiving = Promise.resolve();
  const receiveAll = async (): Promise<void> => {
    for (const command of await engine.store.inbox(session)) {
      if (!types.has(command.type) || !isReceivable(state, command)) continue;
      const bodies = (await receive(work, command)) ?? [];
      await work.append(bodies, [command.id]);
      onReceived?.(bodies, command);
    }
  };
  const wake = (): void => {
    receiving = receiving
      .then(receiveAll)
      .catch((error: unknown) => void (failure = { error }))
      .then(() => {
        changed.resolve();
        changed = Promise.withResolvers();
      });
  };
  const unlisten = engine.store.onSend(session, wake);
  wake();
  return {
    async until(approval, signal) {
      while (!signal.aborted && !failure) {
        const asked = state.approvals.get(approval);
        if (!asked) return;
        const done = new AbortController();
        const end = (): void => done.abort();
        signal.addEventListener('abort', end, { once: true });
        await Promise.race([changed.promise, engine.clock.sleep(asked.expiresAt - engine.clock.now(), done.signal)]);
        signal.removeEventListener('abort', end);
        end();
        await expireApprovals(work);
      }
    },
    async close() {
      unlisten();
      await receiving;
      if (failure) throw failure.error;
    },
  };
}
