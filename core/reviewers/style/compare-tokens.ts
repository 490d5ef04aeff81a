import { diffArrays } from 'diff/lib/diff/array.js';
import type { Language } from '../changes/language.ts';
import type { Token } from '../changes/token.ts';
import { normalize, NORMALIZERS } from './normalizers.ts';
import type { StyleKind } from './style-kind.ts';

export function areEqual(a: readonly Token[], b: readonly Token[]): boolean {
  return a.length === b.length && a.every(({ text }, at) => text === b[at]!.text);
}

/** The kinds of style in which two parts differ. Undefined if they differ in more than style. */
export function findStyleKinds(a: readonly Token[], b: readonly Token[], language: Language): StyleKind[] | undefined {
  if (!areEqual(normalize(a, language), normalize(b, language))) return undefined;
  const kinds = NORMALIZERS.map(([kind]) => kind).filter(
    (kind) => !areEqual(normalize(a, language, [kind]), normalize(b, language, [kind])),
  );
  return kinds.length > 0 ? kinds : ['layout'];
}

/** Replaced, added and removed runs of tokens, in order. Undefined for parts that are too large. */
export function diffTokens(
  a: readonly Token[],
  b: readonly Token[],
): { before: string[]; after: string[] }[] | undefined {
  const parts = diffArrays(
    a.map(({ text }) => text),
    b.map(({ text }) => text),
    { maxEditLength: 500 },
  );
  if (!parts) return undefined;
  const runs: { before: string[]; after: string[] }[] = [];
  let isOpen = false;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      isOpen = false;
      continue;
    }
    if (!isOpen) runs.push({ before: [], after: [] });
    isOpen = true;
    runs.at(-1)![removed ? 'before' : 'after'].push(...value);
  }
  return runs;
}

/**
 * True if two parts that differ in more than style also differ in style: without the style, their difference is
 * smaller. Added comments do not count.
 */
export function hasStylePart(a: readonly Token[], b: readonly Token[], language: Language): boolean {
  const plainA = normalize(a, language);
  const plainB = normalize(b, language);
  const least = countEdits(plainA, plainB);
  if (least === undefined) return true;
  return NORMALIZERS.some(([kind]) => {
    if (kind === 'comments') return loosesComment(a, b);
    const edits = countEdits(normalize(a, language, [kind]), normalize(b, language, [kind]));
    return edits === undefined || edits > least;
  });
}

function loosesComment(a: readonly Token[], b: readonly Token[]): boolean {
  const kept = new Set(b.filter(({ kind }) => kind === 'comment').map(({ text }) => text));
  return a.some(({ kind, text }) => kind === 'comment' && !kept.has(text));
}

function countEdits(a: readonly Token[], b: readonly Token[]): number | undefined {
  return diffTokens(a, b)?.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
}
