import type { Language } from '../changes/language.ts';
import type { Token } from '../changes/token.ts';
import { diffTokens, findStyleKinds, hasStylePart } from './compare-tokens.ts';
import { changesBehavior, isRewrite } from './is-rewrite.ts';
import { toIndents } from './indents.ts';
import type { Rename } from './find-rename.ts';
import { areImports, areMembers, isInsideImport, toImportKeys, toMemberKeys } from './import-lines.ts';
import { isDirective, normalize } from './normalizers.ts';
import type { StyleKind } from './style-kind.ts';

/** What a group of changed lines is. */
export type GroupClass =
  /** Only its style changed. `isBlank`: only empty lines. */
  | { kind: 'style'; kinds: readonly StyleKind[]; renames?: readonly Rename[]; isBlank?: true }
  /** New code, removed code, or code that changed without a change of style. */
  | { kind: 'added' | 'removed' }
  | { kind: 'code'; text: string }
  /** The tokens do not decide it. */
  | { kind: 'unclear'; why: string };

export interface GroupSides {
  language: Language;
  before: readonly Token[];
  after: readonly Token[];
  lines: { before: readonly string[]; after: readonly string[] };
  /** Lines of the hunk before the group, in the old file. */
  above: readonly string[];
}

/** Changed lines of one group up to which its tokens decide. */
const MAX_LINES = 60;
/** So many words in a row are prose: text of a comment whose start is not visible, or of a page. */
const PROSE = 6;

export function classifyGroup(sides: GroupSides): GroupClass {
  const { before, after, language, lines } = sides;
  const unclear = (why: string): GroupClass => ({ kind: 'unclear', why });
  if ([...lines.before, ...lines.after].every((line) => line.trim() === ''))
    return { kind: 'style', kinds: ['layout'], isBlank: true };
  if ([...before, ...after].some((token) => token.kind === 'comment' && isDirective(token)))
    return unclear('a comment that a tool obeys');
  const imports = classifyImports(sides);
  if (imports) return imports;
  const plainBefore = normalize(before, language);
  const plainAfter = normalize(after, language);
  if (plainBefore.length === 0 && plainAfter.length === 0) return { kind: 'style', kinds: ['comments'] };
  if (isProse(before, language) || isProse(after, language)) return unclear('prose');
  if (plainBefore.length === 0) return before.length === 0 ? { kind: 'added' } : unclear('a comment was removed');
  if (plainAfter.length === 0) return after.length === 0 ? { kind: 'removed' } : unclear('code became a comment');
  const kinds = findStyleKinds(before, after, language);
  if (kinds) return isIndentation(sides) ? unclear('only the indentation differs') : { kind: 'style', kinds };
  if (lines.before.length + lines.after.length > MAX_LINES) return unclear('a large change');
  if (hasStylePart(before, after, language)) return unclear('code and style changed together');
  if (isRewrite(plainBefore, plainAfter)) return unclear('another notation of the same code');
  if (hasRepeatedRename(plainBefore, plainAfter)) return unclear('a name changed more than once');
  if (hasMovedLines(lines)) return unclear('lines moved');
  if (hasOtherIndentation(sides)) return unclear('code and indentation changed together');
  if (!changesBehavior(plainBefore, plainAfter)) return unclear('the same names and values');
  return { kind: 'code', text: [...lines.before, ...lines.after].join('\n') };
}

function classifyImports({ language, lines, above }: GroupSides): GroupClass | undefined {
  const { before, after } = lines;
  const isSame = (a: readonly string[], b: readonly string[]) => a.length > 0 && a.join('\n') === b.join('\n');
  if (before.length > 0 && areImports([...before, ...after], language))
    return isSame(toImportKeys(before), toImportKeys(after)) ? { kind: 'style', kinds: ['imports'] } : undefined;
  if (!areMembers(before) || !areMembers(after) || !isInsideImport(above, above.length)) return undefined;
  return isSame(toMemberKeys(before), toMemberKeys(after)) ? { kind: 'style', kinds: ['imports'] } : undefined;
}

function isProse(tokens: readonly Token[], { name }: Language): boolean {
  if (!/^(?:js|ts|py|go|c)$/.test(name)) return false;
  let row = 0;
  return tokens.some((token, at) => {
    const isNext = at > 0 && tokens[at - 1]!.line === token.line;
    row = token.kind === 'word' && /^\p{L}+$/u.test(token.text) ? (isNext ? row + 1 : 1) : 0;
    return row >= PROSE;
  });
}

function isIndentation({ before, after, lines, language }: GroupSides): boolean {
  if (language.lines === 'indented') {
    const [a, b] = [toIndents(before, language), toIndents(after, language)];
    return a.length !== b.length || a.some((width, at) => width !== b[at]);
  }
  const trim = (all: readonly string[]) =>
    all
      .map((line) => line.trim())
      .filter(Boolean)
      .join('\n');
  return trim(lines.before) === trim(lines.after);
}

/** Opens or closes a block, whose lines are indented for a reason. */
const BLOCK = /[{}]|^(?:if|elif|else|for|while|with|try|except|finally|def|class|match|case|unless|do|begin|end|loop)$/;

/** Lines that only got another indentation, without a block around them that is new or gone. */
function hasOtherIndentation({ before, after, lines, language }: GroupSides): boolean {
  const widths = new Map(lines.before.map((line) => [line.trim(), line.length - line.trimStart().length]));
  const isMoved = lines.after.some((line) => {
    const width = widths.get(line.trim());
    return line.trim() !== '' && width !== undefined && width !== line.length - line.trimStart().length;
  });
  if (!isMoved) return false;
  const runs = diffTokens(before, after) ?? [];
  return (
    language.name === 'yaml' || !runs.some((run) => [...run.before, ...run.after].some((text) => BLOCK.test(text)))
  );
}

function hasRepeatedRename(before: readonly Token[], after: readonly Token[]): boolean {
  const counts = new Map<string, number>();
  for (const run of diffTokens(before, after) ?? []) {
    if (run.before.length !== 1 || run.after.length !== 1) continue;
    const key = `${run.before[0]} ${run.after[0]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].some(([key, count]) => count > 1 && /^[\p{L}_$][\w$]* [\p{L}_$]/u.test(key));
}

/** The same lines in another order, among others. */
function hasMovedLines({ before, after }: GroupSides['lines']): boolean {
  const fresh = new Set(after.map((line) => line.trim()));
  const kept = before.map((line) => line.trim()).filter((line) => line.length > 3 && fresh.has(line));
  const order = after.map((line) => line.trim()).filter((line) => kept.includes(line));
  return kept.length > 1 && order.length === kept.length && order.some((line, at) => line !== kept[at]);
}
