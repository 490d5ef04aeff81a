import type { Snapshot } from './snapshot.ts';

/** What the process of copies gets. */
export interface CopyRequest {
  /** Code that ends with an object which holds its value or its exception. */
  code: string;
  snapshot: Snapshot;
  /** Milliseconds. */
  timeoutMs: number;
  /** What `process` is in the code, as JSON. */
  processInfo: string;
  /** Known secrets, which are masked before a text is cut. */
  secrets: readonly string[];
}

/** What it answers: texts alone. */
export type CopyAnswer =
  | { kind: 'value'; text: string; printed: readonly PrintedText[] }
  /** `message` is undefined for a value that is no error. */
  | { kind: 'thrown'; message: string | undefined; printed: readonly PrintedText[] }
  | { kind: 'timeout' }
  /** The process had no more memory. */
  | { kind: 'memory' }
  /** There is no such process here. */
  | { kind: 'unavailable'; reason: string };

export interface PrintedText {
  level: string;
  text: string;
}
