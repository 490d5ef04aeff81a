import type { ChangedFile, ChangedLines } from '../changes/changed-file.ts';
import { findLanguage, isMarkdown, type Language } from '../changes/language.ts';
import { toLineGroups, type LineGroup } from '../changes/line-groups.ts';
import { tokenize, type Token } from '../changes/token.ts';
import { findStyleKinds } from './compare-tokens.ts';
import { classifyGroup, type GroupClass, type GroupSides } from './classify-group.ts';
import { classifyMarkdown } from './classify-markdown.ts';
import { findRenames } from './find-rename.ts';
import { areImports, toImportKeys } from './import-lines.ts';
import { hasSameStructure } from './indents.ts';
import { normalize } from './normalizers.ts';

/** What each group of changed lines of a file is. A file that is created, deleted or only renamed is code. */
export function classifyFile(file: ChangedFile): GroupClass[] {
  if (file.kind === 'created') return [{ kind: 'added' }];
  if (file.kind === 'deleted') return [{ kind: 'removed' }];
  if (file.hunks.length === 0) return [];
  if (isMarkdown(file.path)) return classifyMarkdown(file);
  const language = findLanguage(file.path);
  if (!language) return file.hunks.flatMap(classifyPlain);
  const hunks = file.hunks.map((hunk) => toTokens(hunk, language));
  const renames = findFileRenames(hunks, language);
  if (renames) return [{ kind: 'style', kinds: ['names'], renames }];
  const groups = hunks.flatMap((hunk) => classifyHunk(hunk, language));
  return joinImports(markMoved(groups), language);
}

interface TokenHunk {
  hunk: ChangedLines;
  groups: LineGroup[];
  tokens?: { before: Token[]; after: Token[] };
}

function toTokens(hunk: ChangedLines, language: Language): TokenHunk {
  const before = tokenize(hunk.before, language);
  const after = tokenize(hunk.after, language);
  const groups = toLineGroups(hunk);
  return before && after ? { hunk, groups, tokens: { before, after } } : { hunk, groups };
}

/** Names that the complete change of the file replaces. */
function findFileRenames(hunks: readonly TokenHunk[], language: Language) {
  if (hunks.some(({ tokens }) => !tokens)) return undefined;
  const join = (side: 'before' | 'after') => hunks.flatMap(({ tokens }) => normalize(tokens![side], language));
  return findRenames(join('before'), join('after'));
}

interface LocatedClass {
  found: GroupClass;
  lines: { before: readonly string[]; after: readonly string[] };
}

function classifyHunk({ hunk, groups, tokens }: TokenHunk, language: Language): LocatedClass[] {
  const locate = (found: GroupClass, { oldFrom, oldTo, newFrom, newTo }: LineGroup): LocatedClass => ({
    found,
    lines: { before: hunk.before.slice(oldFrom, oldTo), after: hunk.after.slice(newFrom, newTo) },
  });
  if (!tokens) return groups.map((group) => locate({ kind: 'unclear', why: 'not readable' }, group));
  const kinds = findStyleKinds(tokens.before, tokens.after, language);
  if (kinds) {
    const isStyle = language.lines !== 'indented' || hasSameStructure(tokens.before, tokens.after, language);
    return groups.map((group) => {
      const sides = toSides({ hunk, tokens, language }, group);
      if (!isStyle) return locate({ kind: 'code', text: toText(sides.lines) }, group);
      return locate(areBlank(sides) ? { kind: 'style', kinds, isBlank: true } : { kind: 'style', kinds }, group);
    });
  }
  return groups.map((group) => locate(classifyGroup(toSides({ hunk, tokens, language }, group)), group));
}

function toText({ before, after }: GroupSides['lines']): string {
  return [...before, ...after].join('\n');
}

function areBlank({ lines }: GroupSides): boolean {
  return [...lines.before, ...lines.after].every((line) => line.trim() === '');
}

function toSides(
  from: { hunk: ChangedLines; tokens: { before: Token[]; after: Token[] }; language: Language },
  { oldFrom, oldTo, newFrom, newTo }: LineGroup,
): GroupSides {
  const { hunk, tokens, language } = from;
  const within = (all: readonly Token[], first: number, end: number) =>
    all.filter(({ line, lastLine }) => lastLine >= first && line < end);
  return {
    language,
    before: within(tokens.before, oldFrom, oldTo),
    after: within(tokens.after, newFrom, newTo),
    lines: { before: hunk.before.slice(oldFrom, oldTo), after: hunk.after.slice(newFrom, newTo) },
    above: hunk.before.slice(0, oldFrom),
  };
}

/** Lines that one group removes and another one adds: code that moved is not new. */
function markMoved(groups: readonly LocatedClass[]): LocatedClass[] {
  const toCore = (lines: readonly string[]) => lines.map((line) => line.trim()).filter((line) => /\w{2}/.test(line));
  const removed = groups.flatMap(({ found, lines }) => (found.kind === 'removed' ? toCore(lines.before) : []));
  const added = groups.flatMap(({ found, lines }) => (found.kind === 'added' ? toCore(lines.after) : []));
  const moved = new Set(removed.filter((line) => added.includes(line)));
  if (moved.size < Math.min(removed.length, added.length) / 2 || moved.size === 0) return [...groups];
  return groups.map((group) => {
    const { found, lines } = group;
    const isMoved = toCore([...lines.before, ...lines.after]).some((line) => moved.has(line));
    return isMoved && (found.kind === 'added' || found.kind === 'removed')
      ? { ...group, found: { kind: 'unclear', why: 'code moved' } }
      : group;
  });
}

/** Imports that the file has before and after, in another order, changed only in style. */
function joinImports(groups: readonly LocatedClass[], language: Language): GroupClass[] {
  const isImport = ({ lines }: LocatedClass) => areImports([...lines.before, ...lines.after], language);
  const imports = groups.filter(isImport);
  if (imports.length === 0) return groups.map(({ found }) => found);
  const before = toImportKeys(imports.flatMap(({ lines }) => lines.before));
  const after = toImportKeys(imports.flatMap(({ lines }) => lines.after));
  const isSame = before.length === after.length && before.every((key, at) => key === after[at]);
  const isMoved = before.some((key) => after.includes(key));
  return groups.map((group): GroupClass => {
    if (!isImport(group) || group.found.kind === 'style') return group.found;
    if (isSame) return { kind: 'style', kinds: ['imports'] };
    return isMoved ? { kind: 'unclear', why: 'imports moved and changed' } : group.found;
  });
}

/** A file without a language: spaces may have a meaning. */
function classifyPlain(hunk: ChangedLines): GroupClass[] {
  return toLineGroups(hunk).map(({ oldFrom, oldTo, newFrom, newTo }): GroupClass => {
    const before = hunk.before.slice(oldFrom, oldTo);
    const after = hunk.after.slice(newFrom, newTo);
    const toCore = (lines: readonly string[]) => lines.join(' ').replaceAll(/\s+/g, '');
    if (toCore(before) === toCore(after)) return { kind: 'unclear', why: 'only spaces differ' };
    if (toCore(before) === '') return { kind: 'added' };
    return toCore(after) === '' ? { kind: 'removed' } : { kind: 'code', text: toText({ before, after }) };
  });
}
