import { showFullWord, type Word } from './expansion/word.ts';

export interface Redirect {
  /** As in `>`, `>>`, `<`, `&>`; `<<<` for text that is given in the line, with that text as its target. */
  operator: string;
  target: Word;
  descriptor?: number;
}

/** Code in a language that is not the shell's, for an interpreter. */
export interface InlineCode {
  /** Such as `python`, `node`, `awk`. */
  language: string;
  text: Word;
}

/** One program with its arguments, as it would be started. */
export interface SimpleCommand {
  /** The words; empty where there are only assignments or redirects. */
  argv: Word[];
  /** The last part of the command word's path. */
  name: string;
  assignments: { name: string; value: Word }[];
  redirects: Redirect[];
  /** What it runs through, outermost first: `env`, `sh -c`, `$(…)`. */
  via: string[];
  /** Folders it may run in, absolute. */
  cwds: readonly string[];
  /** What it is fed, where that is known to be something. */
  stdin?: Word;
  code: InlineCode[];
  /** True where names that begin with a dot match `*`. */
  dotglob: boolean;
}

/** Something about a line that cannot be followed. */
export interface Problem {
  rule: 'unreadable' | 'dynamic' | 'downloaded' | 'fork-bomb';
  reason: string;
}

/** A command line as it was understood. */
export interface CommandEvaluation {
  commands: SimpleCommand[];
  problems: Problem[];
}

/** One simple command a line, with what it runs through in brackets. */
export function renderEvaluation(evaluation: CommandEvaluation): string {
  const lines = evaluation.commands.map((command) => {
    const parts = [
      ...command.assignments.map(({ name, value }) => `${name}=${value === '' ? '' : showFullWord(value)}`),
      ...command.argv.map(showFullWord),
      ...command.redirects.map(
        ({ operator, target, descriptor }) => `${descriptor ?? ''}${operator} ${showFullWord(target)}`,
      ),
    ];
    const via = command.via.length > 0 ? `[${command.via.join(' › ')}] ` : '';
    return via + parts.join(' ');
  });
  for (const problem of evaluation.problems) lines.push(`(${problem.reason})`);
  return lines.join('\n');
}
