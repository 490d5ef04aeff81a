import { LimitError } from './interpreter.ts';
import { toUnreadable, type CommandEvaluation } from '../evaluation.ts';
import { createInterpreter } from './create-interpreter.ts';
import { limit } from './files.ts';
import { createScope } from './scope.ts';
import { isKnown } from '../expansion/word.ts';

export interface EvaluateOptions {
  /** Absolute path. */
  workspace: string;
  /** Absolute path of the folder where the line runs; default: the workspace. */
  cwd?: string;
  /** Contents of files by absolute path: scripts among them are evaluated. Default: none. */
  files?: ReadonlyMap<string, string>;
}

const LONGEST_LINE = 65_536;

/** Evaluates a command line without running it, as far as its words are known. Never throws. */
export function evaluateCommand(line: string, options: EvaluateOptions): CommandEvaluation {
  const evaluation: CommandEvaluation = { commands: [], problems: [] };
  const give = (reason: string) => evaluation.problems.push(toUnreadable(reason));
  if (line.length > LONGEST_LINE) give(`it is longer than ${LONGEST_LINE} characters`);
  else if (!isKnown(line) || line.includes('\u0000')) give('it contains characters that no command needs');
  else {
    try {
      const scope = createScope(options.cwd ?? options.workspace);
      for (const [path, text] of options.files ?? []) {
        if (!isKnown(text)) continue;
        scope.files.set(path, limit(text));
        scope.given.add(path);
      }
      createInterpreter(evaluation, scope).evaluate(line, '', undefined);
    } catch (error) {
      // The line is untrusted: if the parser or the interpreter fails on it, the gate asks.
      give(error instanceof LimitError ? error.message : 'the parser failed');
    }
  }
  return evaluation;
}
