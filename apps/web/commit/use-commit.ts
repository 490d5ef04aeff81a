import { useEffect, useRef, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { runCall, type CallEnd } from './run-call.ts';

export type CommitState =
  | { kind: 'editing' }
  | { kind: 'running'; step: 'branch' | 'commit'; isAsked: boolean }
  | { kind: 'failed'; step: 'branch' | 'commit'; output: string }
  | { kind: 'done'; output: string };

export interface CommitRequest {
  /** A new branch to which the session switches before. */
  branch: string | undefined;
  message: string;
  paths: readonly string[];
}

/** Creates the branch, then the commit. A branch that was created is not created again after a failed commit. */
export function useCommit(session: string) {
  const [state, setState] = useState<CommitState>({ kind: 'editing' });
  const created = useRef<string | undefined>(undefined);
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);
  const run = async (
    step: 'branch' | 'commit',
    send: () => Promise<{ after: number }>,
  ): Promise<CallEnd | undefined> => {
    setState({ kind: 'running', step, isAsked: false });
    const { signal } = left.current;
    const end = await attempt(() =>
      runCall({
        session,
        tool: step === 'branch' ? 'git_branch' : 'git_commit',
        send,
        onAsked: () => setState({ kind: 'running', step, isAsked: true }),
        signal,
      }).catch((error: unknown) => {
        // The dialog was closed. The call continues, and the conversation shows it.
        if (signal.aborted) return undefined;
        throw error;
      }),
    );
    if (end === undefined && !signal.aborted) setState({ kind: 'editing' });
    if (end?.isOk === false) setState({ kind: 'failed', step, output: end.output });
    return end;
  };
  const commit = async ({ branch, message, paths }: CommitRequest) => {
    const params = { id: session };
    if (branch !== undefined && created.current !== branch) {
      const end = await run('branch', () => client.createBranch({ params, body: { name: branch } }));
      if (!end?.isOk) return;
      created.current = branch;
    }
    const end = await run('commit', () => client.commit({ params, body: { message, paths: [...paths] } }));
    if (end?.isOk) setState({ kind: 'done', output: end.output });
  };
  return { state, commit };
}
