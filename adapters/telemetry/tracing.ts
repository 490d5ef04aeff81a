import type { Event } from '@klaus/core/protocol';
import type { FinishedSpan } from './finished-span.ts';
import { type FindRun, SpanFold } from './span-fold.ts';
import { createSpanSink } from './span-exporter.ts';

export interface TracingOptions {
  /** Version of Klaus. */
  version: string;
  /** Give out what was said, asked and answered. Default false. */
  content?: boolean;
  /** What a fold has to know of the events of a session before one: its opening, its runs, and all of the present run. */
  readBefore: (session: string, seq: number) => Iterable<Event>;
  findRun: FindRun;
}

/** Spans of what this process appends to logs. */
export interface Tracing {
  /** Events of one session that were just made durable, in order. */
  take(events: readonly Event[]): void;
  /** Sends what waits, for a moment at most. */
  close(): Promise<void>;
}

export function createTracing({ version, content = false, readBefore, findRun }: TracingOptions): Tracing {
  const sink = createSpanSink(version);
  const folds = new Map<string, SpanFold>();
  const open = ({ session, seq }: Event): SpanFold => {
    const fold = new SpanFold({ content, findRun });
    folds.set(session, fold);
    // Their spans were sent by whoever appended them.
    for (const event of readBefore(session, seq)) fold.take(event);
    return fold;
  };
  return {
    take(events) {
      const spans: FinishedSpan[] = [];
      for (const event of events) {
        spans.push(...(folds.get(event.session) ?? open(event)).take(event));
        // What it knows of a session that rests is read again when that goes on.
        if (event.type === 'run.finished' || event.type === 'session.closed') folds.delete(event.session);
      }
      if (spans.length > 0) sink.export(spans);
    },
    close: () => sink.close(),
  };
}
