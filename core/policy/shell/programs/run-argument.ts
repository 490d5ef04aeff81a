import type { Problem } from '../evaluation.ts';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { isDynamic, UNKNOWN, type Word } from '../expansion/word.ts';

/** Runs an argument that a program passes to a shell. */
export function runArgument(text: Word, label: string, shell: Interpreter): void {
  const plain = text.replace(/^exec=/, '');
  if (isDynamic(plain)) shell.report({ rule: 'dynamic', reason: `${label} runs text that is only known at run time` });
  shell.subshell(undefined, () => shell.evaluate(plain, label, { text: UNKNOWN }));
}

/** The problem of a program whose arguments run something that is not evaluated. */
export function toUnevaluated(program: string): Problem {
  return { rule: 'unreadable', reason: `the command could not be evaluated: ${program} runs what its arguments name` };
}
