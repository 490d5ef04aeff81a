import type { KlausError } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';
import { findNearest, showLines } from './nearest-lines.ts';

export interface HunkLine {
  kind: ' ' | '-' | '+';
  text: string;
}

export interface Hunk {
  /** Lines above the hunk, outermost first, such as a class and a method. */
  headers: string[];
  lines: HunkLine[];
  /** Line of the hunk according to the patch, from 1. */
  line?: number;
  atEnd: boolean;
  /** Whether the new file ends with a line break, if the patch specifies it. */
  newline?: boolean;
}

/** The change of one file by a patch. */
export interface FilePatch {
  kind: 'add' | 'update' | 'delete';
  path: string;
  moveTo?: string;
  hunks: Hunk[];
  content?: string;
  /** Permission bits, if the patch specifies them. */
  mode?: number;
}

interface Replacement {
  start: number;
  count: number;
  lines: string[];
}

/**
 * Applies all hunks of one file or none.
 *
 * @throws KlausError `tool.failed` with the most similar lines if a hunk matches nowhere or more than once.
 */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const lines = text === '' ? [] : text.split('\n');
  let newline = lines.length === 0 || lines.at(-1) === '';
  if (lines.at(-1) === '') lines.pop();
  const done: Replacement[] = [];
  let cursor = 0;
  for (const [i, hunk] of hunks.entries()) {
    const name = hunks.length === 1 ? 'The hunk' : `Hunk ${i + 1} of ${hunks.length}`;
    const replacement = locate({ path, lines, hunk, from: cursor, name });
    const end = replacement.start + replacement.count;
    if (done.some(({ start, count }) => replacement.start < start + count && start < end))
      throw toolFailed(`${path} was not changed: hunk ${i + 1} overlaps another one.`);
    done.push(replacement);
    cursor = end;
    newline = hunk.newline ?? newline;
  }
  // The sort is stable: insertions at the same line keep their order.
  for (const { start, count, lines: added } of done.toSorted((a, b) => a.start - b.start).toReversed())
    lines.splice(start, count, ...added);
  return lines.length === 0 ? '' : lines.join('\n') + (newline ? '\n' : '');
}

interface Search {
  path: string;
  lines: readonly string[];
  hunk: Hunk;
  from: number;
  name: string;
}

function locate(search: Search): Replacement {
  const { lines, hunk } = search;
  const from = findHeaders(search);
  const old = hunk.lines.filter((line) => line.kind !== '+').map((line) => line.text);
  if (old.length === 0) {
    const added = hunk.lines.map((line) => line.text);
    // A pure insertion is placed below its header, at its line number, or at the end.
    const start =
      hunk.headers.length > 0 ? from : hunk.line === undefined ? lines.length : Math.min(hunk.line, lines.length);
    return { start, count: 0, lines: added };
  }
  const found = find(search, old, from);
  let at = found;
  const kept = hunk.lines.flatMap((line) => {
    // Context comes from the file, which may differ from the patch in trailing whitespace.
    if (line.kind === '+') return [line.text];
    return line.kind === ' ' ? [lines[at++]!] : (at++, []);
  });
  return { start: found, count: old.length, lines: kept };
}

function findHeaders(search: Search): number {
  let from = search.from;
  for (const header of search.hunk.headers) {
    const same = (line: string) => line.trim() === header.trim();
    let at = search.lines.findIndex((line, i) => i >= from && same(line));
    if (at < 0) at = search.lines.findIndex(same);
    if (at < 0) throw miss(search, [header], 'the line after @@ is not in the file');
    from = at + 1;
  }
  return from;
}

function find(search: Search, old: readonly string[], from: number): number {
  const { lines, hunk } = search;
  for (const level of LEVELS) {
    const have = lines.map(level);
    const want = old.map(level);
    const all: number[] = [];
    for (let at = 0; at + want.length <= have.length; at++) {
      if (want.every((line, i) => line === have[at + i])) all.push(at);
    }
    if (all.length === 0) continue;
    if (hunk.atEnd && all.at(-1) === have.length - want.length) return all.at(-1)!;
    if (hunk.line !== undefined) {
      const expected = hunk.line - 1;
      return all.reduce((a, b) => (Math.abs(b - expected) < Math.abs(a - expected) ? b : a));
    }
    const after = all.filter((at) => at >= from);
    // Matches above a header are not meant.
    const candidates = after.length > 0 || hunk.headers.length > 0 ? after : all;
    if (candidates.length === 0) continue;
    if (candidates.length === 1 || hunk.headers.length > 0) return candidates[0]!;
    const places = candidates.slice(0, 10).map((at) => at + 1);
    throw toolFailed(
      `${search.path} was not changed: ${search.name} matches ${candidates.length} times (lines ${places.join(', ')}). Add lines of context or an @@ line.`,
    );
  }
  throw miss(search, old, `its lines are not in the file${hunk.headers.length > 0 ? ' below the line after @@' : ''}`);
}

/** How lines are compared, strictest first: exactly, without trailing space, with plain quotes and dashes. */
const LEVELS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) =>
    line
      .trimEnd()
      .replaceAll(/[\u2018\u2019\u201A\u201B]/g, "'")
      .replaceAll(/[\u201C\u201D\u201E\u201F]/g, '"')
      .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
      .replaceAll(/[\u00A0\u2002-\u200A\u202F\u3000]/g, ' '),
];

function miss(search: Search, wanted: readonly string[], why: string): KlausError {
  const near = findNearest(search.lines, wanted);
  const details = near
    ? ` The most similar lines are:\n${showLines(search.lines, near.start, near.count)}\nThere, ${near.why}.`
    : ` Expected: ${JSON.stringify(wanted.slice(0, 3).join('\n'))}.`;
  return toolFailed(`${search.path} was not changed: ${search.name} does not match: ${why}.${details}`);
}
