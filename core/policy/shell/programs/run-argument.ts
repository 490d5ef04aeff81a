import type { Interpreter, Stdin } from '../interpreter/interpreter.ts';
import { isDynamic, UNKNOWN, type Word } from '../expansion/word.ts';

/** Runs a program that another one starts. */
export function runInner(argv: Word[], shell: Interpreter, stdin?: Stdin): Word {
  return shell.run({ argv, stdin, assignments: [], redirects: [] });
}

/** Runs an argument that a program passes to a shell. */
export function runArgument(text: Word, label: string, shell: Interpreter): void {
  const plain = text.replace(/^exec=/, '');
  if (isDynamic(plain)) shell.report({ rule: 'dynamic', reason: `${label} runs text that is only known at run time` });
  shell.subshell(undefined, () => shell.evaluate(plain, label, { text: UNKNOWN }));
}
