import { parse } from 'unbash';
import type { ExpansionContext } from '../interpreter/interpreter.ts';
import { isKnown, type Word } from './word.ts';

/** An array subscript that holds a substitution: `a[$(…)]`. A shell runs it when it reads the text as a name or a number. */
const SUBSCRIPT = /\[[^]*(?:\$[({]|`)/;
const ANY = /\$[({]|`/;
const END = 'KLAUS_END_OF_TEXT';

/**
 * Runs the substitutions in a text that the shell expands a second time: a name given to `read`, `unset`, `test -v`
 * or `printf -v`, a number in arithmetic. The quotes hid them from the first expansion.
 *
 * @param options.anywhere Also outside of subscripts, as in a prompt. Default false.
 */
export function expandHidden(text: Word, context: ExpansionContext, { anywhere = false } = {}): void {
  if (!(anywhere ? ANY : SUBSCRIPT).test(text)) return;
  context.step(1 + text.length / 256);
  if (!isKnown(text)) {
    context.report({ rule: 'dynamic', reason: 'a subscript runs text that is only known at run time' });
    return;
  }
  // The text is expanded like a here-document: without quotes.
  context.substitute(parse(`: <<${END}\n${text.replaceAll(END, '')}\n${END}`), 'subscript');
}

const DEEPEST = 4;

/** As {@link expandHidden}, for a number: the values of its variables are expressions too. */
export function expandHiddenInExpression(text: Word, context: ExpansionContext, depth = 0): void {
  expandHidden(text, context);
  if (depth >= DEEPEST || text.length > 256) return;
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    const value = context.scope.variables.get(name);
    for (const each of typeof value === 'string' ? [value] : (value ?? []))
      if (/[A-Za-z_[]/.test(each) && each !== text) expandHiddenInExpression(each, context, depth + 1);
  }
}
