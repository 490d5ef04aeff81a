import type { Token } from '../changes/token.ts';
import { areEqual, diffTokens } from './compare-tokens.ts';

/** Notations that can replace each other without another meaning, as tokens that only one side has. */
const PAIRS: readonly (readonly [one: RegExp, other: RegExp])[] = [
  [/^function$/, /^=>$/],
  [/^def$/, /^lambda$/],
  [/^(?:if|else|elif)$/, /^(?:\?|switch|match|&&|\|\||\?\?)$/],
  [/^(?:for|while)$/, /^(?:map|forEach|filter|reduce|flatMap|for_each|iter|sum|any|all|some|every|collect|join)$/],
  [/^then$/, /^await$/],
  [/^(?:==|!=)$/, /^(?:===|!==|is|not)$/],
  [/^(?:&&|\|\|)$/, /^(?:\?\.|\?\?)$/],
  [/^interface$/, /^type$/],
  [/^require$/, /^import$/],
  [/^(?:dict|list|set|tuple|Array|Object)$/, /^[[{]$/],
  [/^(?:len|length)$/, /^(?:not|!|isEmpty|is_empty)$/],
  [/^new$/, /^[[{(]$/],
  [/^(?:Boolean|String|Number)$/, /^[!+`]/],
  [/^concat$/, /^\.\.\.$/],
  [/^assign$/, /^\.\.\.$/],
  [/^(?:format|Sprintf|%|\+)$/, /^(?:`[^]*\$\{|[fF]['"])/],
  [/^format$/, /^(?:%|\+)$/],
  [/^try$/, /^(?:with|using)$/],
  [/^(?:public|private)$/, /^#/],
];

/** True if the difference may be another notation of the same behaviour. */
export function isRewrite(before: readonly Token[], after: readonly Token[]): boolean {
  const withoutLines = (tokens: readonly Token[]) => tokens.filter(({ kind }) => kind !== 'line');
  if (areEqual(withoutLines(before), withoutLines(after))) return true;
  const sort = (tokens: readonly Token[]) => withoutLines(tokens).toSorted((a, b) => (a.text < b.text ? -1 : 1));
  // The same tokens in another order.
  if (areEqual(sort(before), sort(after))) return true;
  const runs = diffTokens(before, after) ?? [];
  const removed = runs.flatMap((run) => run.before);
  const added = runs.flatMap((run) => run.after);
  return PAIRS.some(
    ([one, other]) =>
      (removed.some((text) => one.test(text)) && added.some((text) => other.test(text))) ||
      (removed.some((text) => other.test(text)) && added.some((text) => one.test(text))),
  );
}
