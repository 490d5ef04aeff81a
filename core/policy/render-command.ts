import { evaluateCommand } from './shell/interpreter/evaluate-command.ts';
import { renderEvaluation, type CommandEvaluation } from './shell/evaluation.ts';
import { isKnown } from './shell/expansion/word.ts';

/** A command line as the gate understands it, one simple command a line. */
export function renderCommand(line: string, workspace: string): string {
  return renderEvaluation(evaluateCommand(line, { workspace }));
}

/**
 * A text that two spellings of the same command share, for an approval that is to hold again. Undefined for a line
 * with a part that only shows when it runs: what was approved once may then do something else.
 */
export function toCommandKey(line: string, workspace: string): string | undefined {
  const evaluation = evaluateCommand(line, { workspace });
  return evaluation.problems.length === 0 && evaluation.commands.length > 0 && isFullyKnown(evaluation)
    ? renderEvaluation(evaluation)
    : undefined;
}

function isFullyKnown({ commands }: CommandEvaluation): boolean {
  return commands.every(
    ({ argv, assignments, redirects }) =>
      argv.every(isKnown) &&
      assignments.every(({ value }) => isKnown(value)) &&
      redirects.every(({ target }) => isKnown(target)),
  );
}
