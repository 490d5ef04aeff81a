import { createHash } from 'node:crypto';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Names a span everywhere. */
export interface SpanName {
  /** 32 hexadecimal digits. */
  trace: string;
  /** 16 hexadecimal digits. */
  span: string;
}

/** A piece of work that is over. */
export interface FinishedSpan extends SpanName {
  /** Absent for the first of its trace. */
  parent?: string;
  name: string;
  /** `client` for a request to another program. */
  kind: 'internal' | 'client';
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  /** Why it failed, for a person; absent when it did not. */
  failure?: string;
  links: readonly SpanLink[];
}

export interface SpanLink extends SpanName {
  attributes: Attributes;
}

/** A run is a trace: whoever looks at its log, in whatever process and however often, finds the same names. */
export function toTraceId(session: string, run: string): string {
  return digest(`trace ${session} ${run}`).slice(0, 32);
}

export function toSpanId(session: string, ...words: readonly (string | number)[]): string {
  return digest(`span ${session} ${words.join(' ')}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
