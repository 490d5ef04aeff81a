import { KlausError, type Hunk, type HunkAnswer, type TreeChange, type TreeEntry } from '../protocol/index.ts';
import { applyHunks, replaceHunk, toHunks } from './hunks.ts';
import { decodeAs, decodeContent, encodeContent, type DecodedText, type TextEncoding } from './text-encoding.ts';

/** Bytes up to which a content is shown line by line: more than an answer of a model can contain. */
export const MAX_SHOWN_BYTES = 8 * 2 ** 20;

/** Added to the note of a hunk without lines. */
const UNSTORED = '; the content is not stored';

/** Content of both sides; null where there is no regular file or link. May be left out above `MAX_SHOWN_BYTES`. */
export interface ChangeContents {
  before: Uint8Array | null;
  after: Uint8Array | null;
  /** Of both sides, if it is known. Default: found by the content. */
  encoding?: TextEncoding | undefined;
  /** True if the content of a side is not stored, and is therefore left out. Default false. */
  isUnstored?: boolean | undefined;
}

/**
 * The hunks of one changed path. Changed text has one hunk for each location, and one for its mode. A created or
 * removed file, content without lines, a link and a change of type are one hunk.
 */
export function toChangeHunks(change: TreeChange, contents: ChangeContents): Hunk[] {
  const { path, before, after } = change;
  if (!before || !after) return [toSingleHunk(change, contents)];
  if (before.type !== after.type) {
    const note = `${path}: a ${nameOf(before)} becomes a ${nameOf(after)}`;
    return [{ ...toPart(path, 'type', { note }), ...(after.type === 'directory' ? {} : { hidden: true as const }) }];
  }
  const hunks = before.hash === after.hash ? [] : toContentHunks(change, contents);
  if (before.mode !== after.mode) {
    const note = `${path}: mode ${toOctal(before.mode)} becomes ${toOctal(after.mode)}`;
    hunks.push(toPart(path, 'mode', { note, at: hunks.length + 1 }));
  }
  return hunks;
}

/** The resolved change of one path. */
export type KeptChange =
  /** The workspace stays as it is. */
  | { kept: 'none' }
  /** The row is applied as it is. */
  | { kept: 'all' }
  /** A file with this content, or that of one side, and these permission bits takes the place of the row's `after`. */
  | { kept: 'part'; content: Uint8Array | 'before' | 'after'; mode: number };

/**
 * The part of a change that an answer accepts.
 *
 * @param options.hunks Those of {@link toChangeHunks} for this change. Ids of other changes in the answer are
 *   ignored.
 * @param options.before Content of the file before; null when there was none, or when it is no text.
 * @throws KlausError `usage` for an edit of a hunk that was not accepted or has no lines, `workspace.conflict`
 *   when `before` is another content than the hunks were made from.
 */
export function keepHunks(
  change: TreeChange,
  {
    hunks,
    answer,
    before,
    encoding,
  }: { hunks: readonly Hunk[]; answer: HunkAnswer; before: Uint8Array | null; encoding?: TextEncoding | undefined },
): KeptChange {
  const accepted = new Set(answer.accepted);
  const edits = new Map(answer.edited?.map(({ id, text }) => [id, text]));
  const taken = hunks.filter(({ id }) => accepted.has(id));
  for (const { id } of hunks) {
    if (edits.has(id) && !accepted.has(id))
      throw new KlausError('usage', `Hunk ${id} was edited, but not accepted.`, { hint: 'Accept it as well.' });
  }
  const edited = taken.map((hunk) => (edits.has(hunk.id) ? replaceHunk(hunk, edits.get(hunk.id)!) : hunk));
  if (taken.length === 0) return { kept: 'none' };
  const isEdited = taken.some(({ id }) => edits.has(id));
  if (taken.length === hunks.length && !isEdited) return { kept: 'all' };
  const { after } = change;
  // Only a file that exists after the change has several hunks, or one that can be edited.
  if (after?.type !== 'file') throw new KlausError('internal', `${change.path} has no parts.`);
  const mode = change.before && !taken.some(({ kind }) => kind === 'mode') ? change.before.mode : after.mode;
  if (edited.some(({ kind }) => kind === 'binary')) return { kept: 'part', content: 'after', mode };
  if (edited.every(({ kind }) => kind === 'mode')) return { kept: 'part', content: 'before', mode };
  const old = before && decode(before, encoding);
  const encoded = encodeContent(applyHunks(old?.text ?? '', edited, accepted), old?.encoding ?? 'utf-8');
  if ('content' in encoded) return { kept: 'part', content: encoded.content, mode };
  throw new KlausError('usage', `${change.path} is written in ${old?.encoding}, which has no ${encoded.missing}.`, {
    hint: 'Use other characters.',
  });
}

/** The content as text; undefined when it is none, or too long to be shown. */
export function decodeText(content: Uint8Array, encoding?: TextEncoding): string | undefined {
  return decode(content, encoding)?.text;
}

function decode(content: Uint8Array, encoding?: TextEncoding): DecodedText | undefined {
  if (content.length > MAX_SHOWN_BYTES) return undefined;
  return (encoding && decodeAs(encoding, content)) ?? decodeContent(content);
}

function toSingleHunk({ path, before, after }: TreeChange, contents: ChangeContents): Hunk {
  const entry = (after ?? before)!;
  const kind = after ? 'created' : 'deleted';
  const note = `${path}: ${after ? 'a new' : 'removes a'} ${describe(entry)}`;
  const content = after ? contents.after : contents.before;
  const text = content && entry.type !== 'directory' ? decodeText(content, contents.encoding) : undefined;
  if (text === undefined || text === '' || entry.type === 'symlink') {
    const target = entry.type === 'symlink' && text !== undefined ? ` to ${JSON.stringify(text)}` : '';
    const isHidden = after?.type === 'file' && text === undefined && after.size > 0;
    const missing = entry.type === 'file' && contents.isUnstored ? UNSTORED : '';
    return { ...toPart(path, kind, { note: note + target + missing }), ...(isHidden ? { hidden: true as const } : {}) };
  }
  const [hunk] = toHunks(after ? '' : text, after ? text : '', { path });
  return { ...hunk!, kind };
}

function toContentHunks({ path, before, after }: TreeChange, contents: ChangeContents): Hunk[] {
  const [was, is] = [contents.before, contents.after].map((content) =>
    content ? decode(content, contents.encoding) : undefined,
  );
  const [old, fresh] = [was?.text, is?.text];
  if (before?.type === 'symlink') {
    const targets = `${JSON.stringify(old ?? '?')} becomes ${JSON.stringify(fresh ?? '?')}`;
    return [toPart(path, 'symlink', { note: `${path}: the link to ${targets}` })];
  }
  if (old === undefined || fresh === undefined) {
    const note = `${path}: another content, ${before!.size} bytes become ${after!.size}${contents.isUnstored ? UNSTORED : ''}`;
    return [{ ...toPart(path, 'binary', { note }), hidden: true }];
  }
  if (was!.encoding !== is!.encoding) {
    const note = `${path}: another encoding, ${was!.encoding} becomes ${is!.encoding}`;
    return [{ ...toPart(path, 'binary', { note }), hidden: true }];
  }
  return toHunks(old, fresh, { path });
}

function toPart(path: string, kind: Hunk['kind'], { note, at = 1 }: { note: string; at?: number }): Hunk {
  return { id: `${path}#${at}`, path, kind, oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, lines: [], note };
}

function describe(entry: TreeEntry): string {
  return entry.type === 'file' ? `file of ${entry.size} bytes, mode ${toOctal(entry.mode)}` : nameOf(entry);
}

function nameOf({ type }: TreeEntry): string {
  return type === 'directory' ? 'folder' : type === 'symlink' ? 'symbolic link' : 'file';
}

function toOctal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
