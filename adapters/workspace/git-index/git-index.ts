import { createHash } from 'node:crypto';
import type { IndexChange, IndexEntry } from '@klaus/core/agent';
import { hasForgedTrees } from './tree-cache.ts';
import {
  BLOB_AT,
  EXTENDED,
  FIXED,
  FLAGS_AT,
  HASH_BYTES,
  MODE_AT,
  type PlainIndex,
  type Span,
  toPlainIndex,
} from './plain-index.ts';

/** Type of a nested repository's commit in the mode of an entry. */
const GITLINK = 0o16;
const ASSUME_UNCHANGED = 0x80_00;
const SKIP_WORKTREE = 0x40_00;
/** Entries that are compared at once. */
const BLOCK = 64;

const EMPTY: PlainIndex = { data: Buffer.alloc(0), spans: [], extensions: Buffer.alloc(0) };

/**
 * The entries of a Git index; a path with a conflict has several. Git itself is not used, because in a repository that an
 * agent can write it may run programs.
 *
 * @returns Undefined unless the bytes are a complete index of version 2, 3 or 4 with SHA-1 names.
 * @source https://git-scm.com/docs/index-format
 */
export function toIndexEntries(bytes: Uint8Array): (IndexEntry & { isGitlink: boolean })[] | undefined {
  const index = toPlainIndex(bytes);
  return index?.spans.map((span) => {
    const isGitlink = index.data.readUInt32BE(span.start + MODE_AT) >>> 12 === GITLINK;
    return { ...toEntry(index, span), isGitlink };
  });
}

/**
 * The entries of an index that are not in another one with the same content and flags. Undefined if the index cannot be
 * read; then a command of Git has to. An unreadable former index counts as empty.
 */
export function compareIndexes(before: Uint8Array | undefined, after: Uint8Array): IndexChange[] | undefined {
  const now = toPlainIndex(after);
  if (!now) return undefined;
  const then = (before && toPlainIndex(before)) ?? EMPTY;
  const changes: IndexChange[] = [];
  let at = 0;
  for (let i = 0; i < now.spans.length; i++) {
    if (i % BLOCK === 0) for (; isSameBlock(then, at, { index: now, at: i }); i += BLOCK) at += BLOCK;
    const span = now.spans[i];
    if (!span) break;
    let order = -1;
    let old: Span | undefined;
    while ((old = then.spans[at]) && (order = compareNames(then, old, { index: now, span })) < 0) at++;
    const isThere = old !== undefined && order === 0;
    if (isThere) at++;
    if (isThere && isSameEntry(then, old!, { index: now, span })) continue;
    changes.push({ ...toEntry(now, span), ...(isThere ? { before: toEntry(then, old!) } : {}) });
  }
  return changes;
}

/**
 * An index with some entries as in a former one, or without them, and without some flags. Extensions, which only make
 * Git faster, are left out.
 *
 * @param edits.restored Paths of entries to restore. @param edits.unflagged Paths whose flags are cleared.
 * @returns Undefined if the index cannot be read, and without edits for an index whose cached trees are those of its
 *   entries.
 */
export function repairIndex(
  { before, after }: { before: Uint8Array | undefined; after: Uint8Array },
  { restored, unflagged }: { restored: ReadonlySet<string>; unflagged: ReadonlySet<string> },
): Uint8Array | undefined {
  const now = toPlainIndex(after);
  if (!now || (restored.size + unflagged.size === 0 && !hasForgedTrees(now))) return undefined;
  const then = (before && toPlainIndex(before)) ?? EMPTY;
  const records: IndexRecord[] = [];
  for (const span of now.spans) {
    const path = nameOf(now, span).toString('utf8');
    if (!restored.has(path)) records.push(toRecord(now, span, unflagged.has(path)));
  }
  for (const span of restored.size > 0 ? then.spans : [])
    if (restored.has(nameOf(then, span).toString('utf8'))) records.push(toRecord(then, span, true));
  records.sort((a, b) => Buffer.compare(a.name, b.name) || stageOf(a.fixed) - stageOf(b.fixed));
  const isExtended = records.some(({ extended }) => extended !== 0);
  const header = Buffer.alloc(12);
  header.write('DIRC', 'latin1');
  header.writeUInt32BE(isExtended ? 3 : 2, 4);
  header.writeUInt32BE(records.length, 8);
  const body = Buffer.concat([header, ...records.flatMap(writeRecord)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

interface IndexRecord {
  fixed: Buffer;
  extended: number;
  name: Buffer;
}

function toRecord(index: PlainIndex, span: Span, clears: boolean): IndexRecord {
  const { data } = index;
  const fixed = Buffer.from(data.subarray(span.start, span.start + FIXED));
  const flags = fixed.readUInt16BE(FLAGS_AT);
  let extended = (flags & EXTENDED) === 0 ? 0 : data.readUInt16BE(span.start + FIXED);
  if (clears) extended &= ~SKIP_WORKTREE;
  const kept = clears ? flags & ~ASSUME_UNCHANGED : flags;
  fixed.writeUInt16BE((kept & ~EXTENDED) | (extended === 0 ? 0 : EXTENDED), FLAGS_AT);
  return { fixed, extended, name: nameOf(index, span) };
}

function writeRecord({ fixed, extended, name }: IndexRecord): Buffer[] {
  const more = Buffer.alloc(extended === 0 ? 0 : 2);
  if (extended !== 0) more.writeUInt16BE(extended);
  const length = fixed.length + more.length + name.length;
  return [fixed, more, name, Buffer.alloc(8 - (length % 8))];
}

function stageOf(fixed: Buffer): number {
  return (fixed.readUInt16BE(FLAGS_AT) >>> 12) & 3;
}

function toEntry({ data }: PlainIndex, { start, nameAt, nameEnd }: Span): IndexEntry {
  const flags = data.readUInt16BE(start + FLAGS_AT);
  const extended = (flags & EXTENDED) === 0 ? 0 : data.readUInt16BE(start + FIXED);
  return {
    path: data.toString('utf8', nameAt, nameEnd),
    mode: data.readUInt32BE(start + MODE_AT).toString(8),
    blob: data.toString('hex', start + BLOB_AT, start + BLOB_AT + HASH_BYTES),
    stage: (flags >>> 12) & 3,
    isHidden: (flags & ASSUME_UNCHANGED) !== 0 || (extended & SKIP_WORKTREE) !== 0,
  };
}

function nameOf({ data }: PlainIndex, { nameAt, nameEnd }: Span): Buffer {
  return data.subarray(nameAt, nameEnd);
}

/** True if the next entries of both are the same bytes: most of a large index is unchanged. */
function isSameBlock(a: PlainIndex, from: number, { index: b, at }: { index: PlainIndex; at: number }): boolean {
  const [first, last] = [a.spans[from], a.spans[from + BLOCK]];
  const [otherFirst, otherLast] = [b.spans[at], b.spans[at + BLOCK]];
  if (!first || !last || !otherFirst || !otherLast) return false;
  return a.data.compare(b.data, otherFirst.start, otherLast.start, first.start, last.start) === 0;
}

type Other = { index: PlainIndex; span: Span };

/** The order of two entries in an index: by name, then by stage. */
function compareNames(a: PlainIndex, one: Span, { index: b, span: other }: Other): number {
  const order = a.data.compare(b.data, other.nameAt, other.nameEnd, one.nameAt, one.nameEnd);
  return order || ((a.data[one.start + FLAGS_AT]! >>> 4) & 3) - ((b.data[other.start + FLAGS_AT]! >>> 4) & 3);
}

/** True for the same mode, blob and flags. Times are not compared: Git updates them. */
function isSameEntry(a: PlainIndex, one: Span, { index: b, span: other }: Other): boolean {
  const compare = (from: number, to: number): boolean =>
    a.data.compare(b.data, other.start + from, other.start + to, one.start + from, one.start + to) === 0;
  return compare(MODE_AT, MODE_AT + 4) && compare(BLOB_AT, one.nameAt - one.start);
}
