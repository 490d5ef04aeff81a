import type { Token } from '../changes/token.ts';
import { areEqual, diffTokens } from './compare-tokens.ts';
import { isDeclared, isName } from './find-rename.ts';

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
  [/^(?:indexOf|search|find|filter|match|test)$/, /^(?:includes|some|has|contains|startsWith|endsWith|in|any)$/],
  [/^(?:substr|substring)$/, /^(?:slice|substring)$/],
  [/^(?:pow|Math)$/, /^\*/],
  [/^(?:parseInt|parseFloat)$/, /^(?:Number|\+)$/],
  [/^replace$/, /^replaceAll$/],
  [/^ioutil$/, /^(?:os|io)$/],
  [/^(?:os|path)$/, /^(?:Path|pathlib)$/],
  [/^(?:yes|no|on|off)$/i, /^(?:true|false)$/i],
  [/^(?:null|nil|None|undefined)$/, /^(?:~|!|not)$/],
  [/^default$/, /^\{$/],
  [/^(?:enumerate|zip|range|len)$/, /^(?:range|enumerate|in)$/],
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
  if (
    runs.some(
      (run) =>
        run.before.length === run.after.length && run.before.every((text, at) => isSameSpelling(text, run.after[at]!)),
    )
  )
    return true;
  return PAIRS.some(
    ([one, other]) =>
      (removed.some((text) => one.test(text)) && added.some((text) => other.test(text))) ||
      (removed.some((text) => other.test(text)) && added.some((text) => one.test(text))),
  );
}

/** `USER_ID` and `userId`, `1000` and `1_000`, `#FFF` and `#fff`. */
function isSameSpelling(a: string, b: string): boolean {
  const toCore = (text: string) => text.toLowerCase().replaceAll(/[_-]|\.0+$|^(?:node:)/g, '');
  return toCore(a) === toCore(b);
}

/** Tokens that change what code does when one of them is the only change. */
const ACTS =
  /^(?:!|not|[<>]=?|[=!]==?|[+\-*/%]|&&|\|\||\?\?|\?\.|and|or|true|false|True|False|None|null|nil|undefined|await|async|return|break|continue|throw|raise|mut|ref|static|defer|go)$/;

/**
 * True if the difference certainly changes what the code does: another value, a name from elsewhere, or one operator.
 * Code that only introduces or removes its own variables does not.
 */
export function changesBehavior(before: readonly Token[], after: readonly Token[]): boolean {
  const runs = diffTokens(before, after) ?? [];
  const edits = runs.flatMap((run) => [...run.before, ...run.after]);
  if (edits.length <= 3 && edits.some((text) => ACTS.test(text))) return true;
  const isGuarded =
    runs.every((run) => run.before.length === 0) && edits.some((text) => /^(?:if|while|for|try)$/.test(text));
  return isGuarded || addsMeaning(before, after) || addsMeaning(after, before);
}

function addsMeaning(from: readonly Token[], to: readonly Token[]): boolean {
  const known = new Set(from.map(({ text }) => text));
  return to.some(({ kind, text }) => {
    if (known.has(text)) return false;
    if (kind === 'string' || /^\d/.test(text)) return true;
    return kind === 'word' && isName(text) && !isDeclared(to, text);
  });
}
