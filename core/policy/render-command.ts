import { evaluateCommand } from './shell/interpreter/evaluate-command.ts';
import { renderEvaluation, type CommandEvaluation } from './shell/evaluation.ts';
import { isKnown } from './shell/expansion/word.ts';

/** A command line as the gate evaluates it, one simple command per line. */
export function renderCommand(line: string, workspace: string): string {
  return renderEvaluation(evaluateCommand(line, { workspace }));
}

/**
 * A text that two spellings of the same command share, for a stored approval. Undefined for a line with a part that is
 * only known at run time: the approved line may do something else next time.
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
