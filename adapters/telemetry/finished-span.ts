import { createHash } from 'node:crypto';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanId {
  /** 32 hexadecimal digits. */
  trace: string;
  /** 16 hexadecimal digits. */
  span: string;
}

export interface FinishedSpan extends SpanId {
  /** Absent for the root span. */
  parent?: string;
  name: string;
  /** `client` for a request to another program. */
  kind: 'internal' | 'client';
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  failure?: string;
  links: readonly SpanLink[];
}

export interface SpanLink extends SpanId {
  attributes: Attributes;
}

/** A run is a trace. Its id is derived from the log, so that every process computes the same one. */
export function toTraceId(session: string, run: string): string {
  return digest(`trace ${session} ${run}`).slice(0, 32);
}

export function toSpanId(session: string, ...words: readonly (string | number)[]): string {
  return digest(`span ${session} ${words.join(' ')}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
