import type { Event, EventOf } from '@klaus/core/protocol';
import type { FinishedSpan } from './finished-span.ts';
import { SpanFold } from './span-fold.ts';
import { createSpanSink } from './span-exporter.ts';

export interface TracingOptions {
  version: string;
  content?: boolean;
  /** Reads the earlier events of a session that a fold needs: its opening, its runs, and the current run. */
  readBefore: (session: string, seq: number) => AsyncIterable<Event>;
  /** Finds the run of a call of another session; undefined if it is unknown. */
  findRun: (session: string, call: string) => Promise<string | undefined>;
}

/** Exports spans of the events that this process appends. */
export interface Tracing {
  /** Adds durable events of one session, in order. Never waits, and never throws. */
  add(events: readonly Event[]): void;
  /** Sends the queue, for at most 1.5 seconds after the last spans are complete. */
  close(): Promise<void>;
}

export function createTracing({ version, content = false, readBefore, findRun }: TracingOptions): Tracing {
  const sink = createSpanSink(version);
  const folds = new Map<string, SpanFold>();
  let pending: Promise<void> = Promise.resolve();
  const open = async (event: Event): Promise<SpanFold> => {
    const { session, seq } = event;
    const before = await Array.fromAsync(readBefore(session, seq));
    const opened = [...before, event].find(({ type }) => type === 'session.opened') as
      | EventOf<'session.opened'>
      | undefined;
    const parent = opened?.parent;
    const parentRun = parent && (await findRun(parent.session, parent.call));
    const fold = new SpanFold({ content, parentRun });
    folds.set(session, fold);
    // The process that appended these events has sent their spans.
    for (const earlier of before) fold.add(earlier);
    return fold;
  };
  const add = async (events: readonly Event[]): Promise<void> => {
    const spans: FinishedSpan[] = [];
    for (const event of events) {
      spans.push(...(folds.get(event.session) ?? (await open(event))).add(event));
      // The next run reads what the fold needs.
      if (event.type === 'run.finished' || event.type === 'session.closed') folds.delete(event.session);
    }
    if (spans.length > 0) sink.export(spans);
  };
  return {
    add(events) {
      // A log that cannot be read has no spans. Its run reports the error.
      pending = pending.then(() => add(events)).catch(() => {});
    },
    async close() {
      await pending;
      await sink.close();
    },
  };
}
