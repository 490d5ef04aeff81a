import type { EventOf } from '@klaus/core/protocol';
import { followSession } from '@klaus/server/client';
import { client } from '../state/client.ts';

export interface CallEnd {
  isOk: boolean;
  /** What the tool returned; of a failure also the output of a hook. */
  output: string;
}

interface RunCallOptions {
  session: string;
  tool: string;
  send: () => Promise<{ after: number }>;
  /** The call waits for an answer; undefined: it does not any more. */
  onAsked: (asked: EventOf<'approval.asked'> | undefined) => void;
  signal: AbortSignal;
}

/** Sends a call of the user and resolves with its result from the log. Rejects when the signal is aborted. */
export async function runCall({ session, tool, send, onAsked, signal }: RunCallOptions): Promise<CallEnd> {
  const { after } = await send();
  const ended = new AbortController();
  return new Promise<CallEnd>((resolve, reject) => {
    let call: string | undefined;
    let run: string | undefined;
    const end = (finished: Pick<EventOf<'tool.finished'>, 'outcome' | 'output'>) => {
      ended.abort();
      resolve({ isOk: finished.outcome === 'ok', output: finished.output });
    };
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    void followSession(client, {
      session,
      after,
      signal: AbortSignal.any([signal, ended.signal]),
      onEvent(event) {
        if (event.type === 'message.added' && event.message.origin === 'shell') {
          const part = event.message.parts.find((it) => it.type === 'call' && it.name === tool);
          if (part?.type === 'call') [call, run] = [call ?? part.id, run ?? event.run];
        } else if (event.type === 'approval.asked' && event.subject.kind !== 'limit' && event.run === run)
          onAsked(event);
        else if (event.type === 'approval.answered' && event.run === run) onAsked(undefined);
        else if (event.type === 'tool.finished' && event.call === call) end(event);
        else if (event.type === 'run.finished' && event.run === run) end({ outcome: 'error', output: event.reason });
      },
      onGone: () => end({ outcome: 'error', output: '' }),
    });
  });
}
