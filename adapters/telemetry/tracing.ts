import type { Event } from '@klaus/core/protocol';
import type { FinishedSpan } from './finished-span.ts';
import { type FindRun, SpanFold } from './span-fold.ts';
import { createSpanSink } from './span-exporter.ts';

export interface TracingOptions {
  version: string;
  content?: boolean;
  /** Reads the earlier events of a session that a fold needs: its opening, its runs, and the current run. */
  readBefore: (session: string, seq: number) => Iterable<Event>;
  findRun: FindRun;
}

/** Exports spans of the events that this process appends. */
export interface Tracing {
  /** Adds durable events of one session, in order. */
  add(events: readonly Event[]): void;
  /** Sends the queue, for at most 1.5 seconds. */
  close(): Promise<void>;
}

export function createTracing({ version, content = false, readBefore, findRun }: TracingOptions): Tracing {
  const sink = createSpanSink(version);
  const folds = new Map<string, SpanFold>();
  const open = ({ session, seq }: Event): SpanFold => {
    const fold = new SpanFold({ content, findRun });
    folds.set(session, fold);
    // The process that appended these events has sent their spans.
    for (const event of readBefore(session, seq)) fold.add(event);
    return fold;
  };
  return {
    add(events) {
      const spans: FinishedSpan[] = [];
      for (const event of events) {
        spans.push(...(folds.get(event.session) ?? open(event)).add(event));
        // The next run reads what the fold needs.
        if (event.type === 'run.finished' || event.type === 'session.closed') folds.delete(event.session);
      }
      if (spans.length > 0) sink.export(spans);
    },
    close: () => sink.close(),
  };
}
