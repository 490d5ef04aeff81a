import type { Script } from 'unbash';
import type { CommandEvaluation, Problem, Redirect } from '../evaluation.ts';
import type { Scope } from './scope.ts';
import type { Word } from '../expansion/word.ts';

/** What expansion needs of the walk through a line. */
export interface ExpansionContext {
  scope: Scope;
  /** Walks a script in a subshell and returns what it prints, without trailing newlines. */
  substitute(script: Script, label: string): Word;
  /** Walks the script of a process substitution and returns the path that stands for it. */
  toPath(script: Script, operator: '<' | '>'): Word;
  report(problem: Problem): void;
  /** Counts work. Throws {@link LimitError} when a line needs more than any ordinary one. */
  step(cost?: number): void;
}

/** Standard input. Who reads takes away: `read` a line, others everything. */
export interface Stdin {
  text: Word;
}

/** A command about to run. */
export interface Call {
  argv: Word[];
  stdin: Stdin | undefined;
  assignments: { name: string; value: Word }[];
  redirects: Redirect[];
}

/** The walk through a line, command by command. */
export interface Interpreter extends ExpansionContext {
  readonly evaluation: CommandEvaluation;
  /** What the present command runs through, outermost first. */
  via: string[];
  /** How the last command ended: 0, 1 or not known. */
  status: 0 | 1 | undefined;
  /** Walks text as a script in the present scope; returns what it prints. */
  evaluate(text: Word, label: string, stdin: Stdin | undefined): Word;
  /** Runs a function's body. */
  callFunction(name: string, args: Word[], stdin: Stdin | undefined): Word;
  run(call: Call): Word;
  /** Does `work` one level deeper, named `label` in what is recorded. */
  inside<T>(label: string, work: () => T): T;
  /** As {@link inside}, in a scope that ends with it. */
  subshell<T>(label: string | undefined, work: () => T): T;
  /** Notes a command as one that runs. */
  record(call: Call, code?: { language: string; text: Word }[]): void;
  /** What a file holds that this line wrote, or that is fed; undefined for other files. */
  readFile(path: Word, stdin: Stdin | undefined): Word | undefined;
  writeFile(path: Word, text: Word, append: boolean): void;
}

/** Thrown and caught inside the shell reader alone. */
export class LimitError extends Error {}

/** Longest text that is followed; a longer one becomes unknown. */
export const LONGEST_TEXT = 65_536;
