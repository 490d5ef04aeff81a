import type { EventOf } from '@klaus/core/protocol';
import { useEffect, useRef, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { runCall, type CallEnd } from './run-call.ts';

/** The tool of each step. */
const TOOLS = { branch: 'git_branch', commit: 'git_commit', push: 'push_branch' } as const;
export type Step = keyof typeof TOOLS;

export type CallsState =
  | { kind: 'idle' }
  /** `asked`: the question that it waits for. */
  | { kind: 'running'; step: Step; asked: EventOf<'approval.asked'> | undefined }
  | { kind: 'failed'; step: Step; output: string }
  | { kind: 'done'; step: Step; output: string };

/** Runs calls of the user, one after the other, as long as the dialog is open. */
export function useCalls(session: string) {
  const [state, setState] = useState<CallsState>({ kind: 'idle' });
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);
  /** Undefined: it was not sent, or the dialog was closed. The call continues then, and the conversation shows it. */
  const run = async (step: Step, send: () => Promise<{ after: number }>): Promise<CallEnd | undefined> => {
    const { signal } = left.current;
    const onAsked = (asked: EventOf<'approval.asked'> | undefined) => setState({ kind: 'running', step, asked });
    onAsked(undefined);
    const end = await attempt(() =>
      runCall({ session, tool: TOOLS[step], send, onAsked, signal }).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      }),
    );
    if (signal.aborted) return undefined;
    setState(end ? { kind: end.isOk ? 'done' : 'failed', step, output: end.output } : { kind: 'idle' });
    return end;
  };
  return { state, run };
}
