import type { ExecRequest, ExecResult } from '../ports/sandbox.ts';

/** A file that a call has changed. */
export interface EditedFile {
  /** Relative to the workspace. */
  path: string;
  /** Text before the call; '' for a new file. */
  before: string;
  after: string;
}

/** A problem that a language server reports. */
export interface Problem {
  /** Relative to the workspace. */
  path: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  severity: 'error' | 'warning';
  /** Such as `2322`. */
  code?: string;
  message: string;
  /** Name of the program. */
  server: string;
}

export interface FoundProblems {
  problems: Problem[];
  /** Why servers cannot run, each in one line, and once for each server. */
  obstacles: string[];
}

/** The language servers of a session, which start with the first file of their language. */
export interface Diagnostics {
  /**
   * The problems of the files that they did not have before. Never throws: a server that is missing, cannot run, crashes
   * or does not answer in time reports none.
   */
  findNew(files: readonly EditedFile[], signal: AbortSignal): Promise<FoundProblems>;
  /** Ends the servers. Idempotent; the next call of `findNew` starts them again. */
  close(): Promise<void>;
}

export interface DiagnosticsOptions {
  /** Absolute real path. */
  workspace: string;
  /** Milliseconds for the start of a server, and for its first answer. */
  timeoutMs: number;
  /** Runs a program in the sandbox of the session, without changing the workspace. */
  readonly exec: (
    request: Pick<ExecRequest, 'command' | 'stdin' | 'onOutput' | 'keepBytes' | 'limits' | 'signal'>,
  ) => Promise<ExecResult>;
}
