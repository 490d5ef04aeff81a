import type { ExecRequest, ExecResult } from '../ports/sandbox.ts';
import type { Workspace } from '../ports/workspace.ts';

/** A text as the formatter of the project writes it, or why there is none. */
export type Formatted = {
  /** Relative to the workspace. */
  path: string;
  /** Name of the program, such as `prettier`. */
  formatter: string;
} & ({ text: string } | { failure: string });

/** The formatters that the project configures, for one session. */
export interface Formatter {
  /**
   * Formats texts as the content of files, which need not exist. Writes nothing. A file whose formatter is not configured
   * or not installed is left out. Never rejects: a program that fails is a `failure`, and one that cannot run at all, or
   * fails again and again, is not started any more.
   *
   * @param files Paths are relative to the workspace; texts have `\n` line breaks and no byte-order mark.
   */
  format(files: readonly { path: string; text: string }[], signal: AbortSignal): Promise<Formatted[]>;
}

/** The end of a formatter. */
export interface FormatEnd extends ExecResult {
  /** Relative paths that it changed in its view of the workspace, which is discarded. */
  touched?: readonly string[];
}

export interface FormatterOptions {
  workspace: Workspace;
  /** Milliseconds for all files of one call. */
  timeoutMs: number;
  /** Runs a program in the sandbox of the session, without changing the workspace. */
  readonly exec: (
    request: Pick<ExecRequest, 'command' | 'cwd' | 'stdin' | 'keepBytes' | 'limits' | 'signal'>,
  ) => Promise<FormatEnd>;
}

/** The formatters of a session for tools. */
export interface ToolFormatter {
  /** True: tools format what they write. False: they report that a formatter would change it. */
  readonly applies: boolean;
  readonly format: Formatter['format'];
  /** Relative paths of the files that calls of the session have changed. */
  editedFiles(): Promise<ReadonlySet<string>>;
}
