import { tailOf } from '@klaus/core/cut-text';
import type { ProcessView } from '@klaus/server/contract';
import { useEffect, useRef, useState } from 'react';
import { client } from '../state/client.ts';
import { isActive } from './use-processes.ts';

/** Milliseconds between requests for more output. */
const EVERY_MS = 1_000;
/** Characters that are kept; earlier ones are dropped. */
const MAX_TEXT = 4_000_000;

/** The output of a process, which grows while it runs. Undefined until it is loaded. */
export function useProcessOutput({ session, id, ...process }: ProcessView): string | undefined {
  const [text, setText] = useState<string | undefined>();
  const next = useRef(0);
  const isRunning = isActive(process as ProcessView);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      const from = next.current;
      const answer = await client
        .processOutput({ params: { id: session, process: id }, query: { from } }, { signal: ended.signal })
        // The next request gets what this one missed.
        .catch(() => undefined);
      if (ended.signal.aborted) return;
      if (answer) {
        next.current = answer.next;
        setText((before = '') => (answer.text === '' ? before : tailOf(`${before}${answer.text}`, MAX_TEXT)));
        // A response is limited in size: the rest follows at once.
        if (answer.next > from && answer.text !== '') return void load();
      }
      if (isRunning || !answer) timer = setTimeout(() => void load(), EVERY_MS);
    };
    void load();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [session, id, isRunning]);
  return text;
}
