import { parse } from 'unbash';
import { expandArithmetic } from '../expansion/expand.ts';
import { walkHidden } from '../expansion/hidden-substitution.ts';
import type { Interpreter } from './interpreter.ts';
import type { Word } from '../expansion/word.ts';

/** `let a=1+2`: each word is an arithmetic expression. */
export function evaluateWords(words: readonly Word[], walk: Interpreter): void {
  for (const word of words) {
    walkHidden(word, walk);
    const command = parse(`((${word}))`).commands[0]?.command;
    if (command?.type === 'ArithmeticCommand') expandArithmetic(command.expression, walk);
  }
}
