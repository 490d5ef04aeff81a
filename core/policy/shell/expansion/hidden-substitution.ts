import { parse } from 'unbash';
import type { ExpansionContext } from '../interpreter/interpreter.ts';
import { isKnown, type Word } from './word.ts';

/** An array subscript that holds a substitution: `a[$(…)]`. A shell runs it where it reads the text as a name or a number. */
const SUBSCRIPT = /\[[^]*(?:\$[({]|`)/;
const ANY = /\$[({]|`/;
const END = 'KLAUS_END_OF_TEXT';

/**
 * Walks the substitutions of a text that a shell expands once more: a name given to `read`, `unset`, `test -v` or
 * `printf -v`, a number in arithmetic. In quotes they looked like plain text before.
 *
 * @param options.anywhere Also outside of subscripts, as in a prompt. Default false.
 */
export function expandHidden(text: Word, context: ExpansionContext, { anywhere = false } = {}): void {
  if (!(anywhere ? ANY : SUBSCRIPT).test(text)) return;
  context.step(1 + text.length / 256);
  if (!isKnown(text)) {
    context.report({ rule: 'dynamic', reason: 'a subscript runs text that is only known when it runs' });
    return;
  }
  // A here-document is expanded as such a text is: without quotes.
  context.substitute(parse(`: <<${END}\n${text.replaceAll(END, '')}\n${END}`), 'subscript');
}

const DEEPEST = 4;

/** As {@link expandHidden}, for a number: the values of the variables that it names are expressions too. */
export function expandHiddenInExpression(text: Word, context: ExpansionContext, depth = 0): void {
  expandHidden(text, context);
  if (depth >= DEEPEST || text.length > 256) return;
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    const value = context.scope.variables.get(name);
    for (const each of typeof value === 'string' ? [value] : (value ?? []))
      if (/[A-Za-z_[]/.test(each) && each !== text) expandHiddenInExpression(each, context, depth + 1);
  }
}
