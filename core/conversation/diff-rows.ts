import { splitText } from '../protocol/text/cut-text.ts';
import type { Hunk } from '@klaus/core/protocol';
import { toDiffLines, toPairs, type DiffLine } from './diff-model.ts';

/** One row of a diff. `key`: its index. */
export type DiffRow =
  | { kind: 'file'; key: number; path: string; hunks: readonly string[] }
  /** `folded`: lines that are not shown, because they differ only in whitespace. */
  | { kind: 'hunk'; key: number; hunk: Hunk; folded?: number }
  | { kind: 'line'; key: number; hunk: string; of: Hunk; line: DiffLine }
  | { kind: 'pair'; key: number; hunk: string; of: Hunk; left: DiffLine | null; right: DiffLine | null };

export interface RowOptions {
  /** Shows lines that differ only in whitespace as unchanged, and folds hunks of them. Default false. */
  ignoresSpace?: boolean;
  /** Ids of hunks that are not folded. Default: none. */
  unfolded?: ReadonlySet<string>;
  /** Paths whose hunks are not shown. Default: none. */
  collapsed?: ReadonlySet<string>;
}

/** Characters of a line in one row. A longer line has several rows, so that a minified file can be shown. */
const MAX_LINE = 2_000;

/** The parts of a line that are rows of their own. Only the first one has numbers. */
function toLineRows(line: DiffLine): DiffLine[] {
  if (line.text.length <= MAX_LINE) return [line];
  const { kind, at } = line;
  const parts: DiffLine[] = [];
  for (const [part, text] of splitText(line.text, MAX_LINE).entries()) {
    const numbers = part === 0 ? { old: line.old, new: line.new } : { old: null, new: null };
    parts.push({ kind, text, at, ...numbers });
  }
  return parts;
}

export function toRows(
  hunks: readonly Hunk[],
  layout: 'unified' | 'split',
  { ignoresSpace = false, unfolded, collapsed }: RowOptions = {},
): DiffRow[] {
  const rows: DiffRow[] = [];
  const byPath = Map.groupBy(hunks, (hunk) => hunk.path);
  let path: string | undefined;
  for (const hunk of hunks) {
    if (hunk.path !== path) {
      path = hunk.path;
      const own = byPath.get(path)!.map(({ id }) => id);
      rows.push({ kind: 'file', key: rows.length, path, hunks: own });
    }
    if (collapsed?.has(path)) continue;
    const isFolded = ignoresSpace && unfolded?.has(hunk.id) !== true && isOnlySpace(hunk);
    rows.push({ kind: 'hunk', key: rows.length, hunk, ...(isFolded ? { folded: countChanged(hunk) } : {}) });
    if (isFolded) continue;
    const all = toMarkedLines(hunk);
    const lines = (ignoresSpace && unfolded?.has(hunk.id) !== true ? withoutSpace(all) : all).flatMap(toLineRows);
    if (layout === 'unified') {
      for (const line of lines) rows.push({ kind: 'line', key: rows.length, hunk: hunk.id, of: hunk, line });
    } else {
      for (const { left, right } of toPairs(lines)) {
        rows.push({ kind: 'pair', key: rows.length, hunk: hunk.id, of: hunk, left, right });
      }
    }
  }
  return rows;
}

/** True for a hunk whose changed lines have the same characters on both sides, except for whitespace. */
export function isOnlySpace({ lines }: Hunk): boolean {
  if (lines.length === 0) return false;
  const side = (sign: string) => lines.flatMap((line) => (line.startsWith(sign) ? toDense(line.slice(1)) || [] : []));
  const [removed, added] = [side('-'), side('+')];
  return removed.length === added.length && removed.every((text, at) => text === added[at]);
}

const toDense = (text: string) => text.replace(/\s+/g, '');

const countChanged = ({ lines }: Hunk) => lines.filter((line) => /^[-+]/.test(line)).length;

/** The lines of a hunk. Each replaced line has the text of its replacement, and the reverse. */
export function toMarkedLines(hunk: Hunk): DiffLine[] {
  const lines = toDiffLines(hunk);
  const found = [...lines];
  for (const { left, right } of toPairs(lines)) {
    if (left?.kind !== 'removed' || right?.kind !== 'added') continue;
    if (Math.max(left.text.length, right.text.length) > MAX_LINE) continue;
    found[left.at] = { ...left, other: right.text };
    found[right.at] = { ...right, other: left.text };
  }
  return found;
}

/** The lines, with one unchanged line in place of two that differ only in whitespace. */
function withoutSpace(lines: readonly DiffLine[]): DiffLine[] {
  const found: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    found.push(...added);
    added = [];
  };
  for (const { left, right } of toPairs(lines)) {
    if (left && left === right) {
      flush();
      found.push(left);
    } else if (left && right && toDense(left.text) === toDense(right.text)) {
      flush();
      const { at, text } = right;
      found.push({ kind: 'same', text, old: left.old, new: right.new, at, isSpace: true });
    } else {
      // Removed lines of a block come before its added lines.
      if (left) found.push(left);
      if (right) added.push(right);
    }
  }
  flush();
  return found;
}
