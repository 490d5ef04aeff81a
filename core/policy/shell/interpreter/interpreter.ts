import type { Script } from 'unbash';
import type { CommandEvaluation, InlineCode, Problem, Redirect } from '../evaluation.ts';
import type { Scope } from './scope.ts';
import type { Word } from '../expansion/word.ts';

/** The part of the interpreter that expansion needs. */
export interface ExpansionContext {
  scope: Scope;
  /** Runs a script in a subshell and returns its output, without trailing newlines. */
  substitute(script: Script, label: string): Word;
  /** Runs the script of a process substitution and returns the path of its output. */
  toPath(script: Script, operator: '<' | '>'): Word;
  report(problem: Problem): void;
  /** Counts work. Throws {@link LimitError} if a line needs more than any ordinary one. */
  step(cost?: number): void;
}

/** Standard input. Reading consumes it: `read` takes a line, other commands everything. */
export interface Stdin {
  text: Word;
  /** True for a file that existed before the line. */
  isFile?: true;
}

export interface Call {
  argv: Word[];
  stdin: Stdin | undefined;
  assignments: { name: string; value: Word }[];
  redirects: Redirect[];
}

export interface Interpreter extends ExpansionContext {
  readonly evaluation: CommandEvaluation;
  /** The programs that the current command runs through, outermost first. */
  via: string[];
  /** The exit status of the last command: 0, 1 or unknown. */
  status: 0 | 1 | undefined;
  /** Runs text as a script in the current scope; returns its output. */
  evaluate(text: Word, label: string, stdin: Stdin | undefined): Word;
  /** Runs the body of a function; returns its output. */
  callFunction(name: string, args: Word[], stdin: Stdin | undefined): Word;
  run(call: Call): Word;
  /** Runs `work` one level deeper; recorded commands name `label`. */
  inside<T>(label: string, work: () => T): T;
  /** As {@link inside}, in a copy of the scope. */
  subshell<T>(label: string | undefined, work: () => T): T;
  record(call: Call, code?: InlineCode[]): void;
  /** The content of a file that this line wrote, or of standard input; undefined for other files. */
  readFile(path: Word, stdin: Stdin | undefined): Word | undefined;
  writeFile(path: Word, text: Word, append: boolean): void;
  /** True for a file that existed before the line, and that the line did not write. */
  isGiven(path: Word): boolean;
  /** The path of a program that a search by name finds in the workspace, if its content is known. */
  findProgram(name: string): string | undefined;
}

/** A line needs more work than is allowed. Never leaves the interpreter. */
export class LimitError extends Error {}

/** Longer text becomes unknown. */
export const LONGEST_TEXT = 65_536;
