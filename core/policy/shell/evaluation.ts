import { showFullWord, type Word } from './expansion/word.ts';

export interface Redirect {
  /** As in `>`, `>>`, `<`, `&>`; `<<<` for text in the line, which is the target then. */
  operator: string;
  target: Word;
  descriptor?: number;
}

/** Code for an interpreter other than a shell. */
export interface InlineCode {
  /** Such as `python`, `node`, `awk`. */
  language: string;
  text: Word;
  /** True for the content of a file that existed before the line: it is no text of the line. */
  isFile?: true;
}

/** One program with its arguments, as it would be started. */
export interface SimpleCommand {
  /** The words; empty if there are only assignments or redirects. */
  argv: Word[];
  /** The last part of the command word's path. */
  name: string;
  assignments: { name: string; value: Word }[];
  redirects: Redirect[];
  /** What it runs through, outermost first: `env`, `sh -c`, `$(…)`. */
  via: string[];
  /** Folders it may run in, absolute. */
  cwds: readonly string[];
  /** Its standard input, if the line provides it. */
  stdin?: Word;
  code: InlineCode[];
  /** True if `*` matches names that begin with a dot. */
  dotglob: boolean;
}

export interface Problem {
  rule: 'unreadable' | 'dynamic' | 'downloaded' | 'fork-bomb';
  reason: string;
}

/** The problem of a line that is not evaluated completely. */
export function toUnreadable(reason: string): Problem {
  return { rule: 'unreadable', reason: `the command could not be evaluated: ${reason}` };
}

export interface CommandEvaluation {
  commands: SimpleCommand[];
  problems: Problem[];
}

/** One simple command per line, with the programs it runs through in brackets. */
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
