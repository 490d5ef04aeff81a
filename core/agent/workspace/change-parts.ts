import {
  decodeText,
  keepHunks,
  MAX_SHOWN_BYTES,
  toChangeHunks,
  type ChangeContents,
  type KeptChange,
  type TextEncoding,
} from '../../policy/index.ts';
import { renderHunk, type Hunk, type HunkAnswer, type TreeChange } from '../../protocol/index.ts';
import type { Intent } from '../ports/tool.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { Workspace } from '../ports/workspace.ts';

/** One changed path with its hunks. */
export interface ChangePart {
  row: TreeChange;
  /** Content before; null if there was none, or if it is too large to be shown. */
  before: Uint8Array | null;
  after: Uint8Array | null;
  /** Of the content, if it is known. */
  encoding?: TextEncoding | undefined;
  hunks: Hunk[];
}

export async function toEditParts(workspace: Workspace, { edits = [], changes = [] }: Intent): Promise<ChangePart[]> {
  const parts: ChangePart[] = [];
  for (const [at, edit] of edits.entries()) {
    const change = changes[at];
    if (!change || change.path !== edit.path) continue;
    const { path, kind } = change;
    const state = await workspace.stat(path);
    const before = change.before !== null && state && state.size <= MAX_SHOWN_BYTES ? await workspace.read(path) : null;
    const mode = state?.mode ?? 0o644;
    const row: TreeChange = {
      path,
      kind,
      before: change.before === null ? null : { type: 'file', hash: change.before, size: state?.size ?? 0, mode },
      after:
        change.after === null
          ? null
          : { type: 'file', hash: change.after, size: edit.content?.length ?? 0, mode: edit.mode ?? mode },
    };
    parts.push(toPart(row, { before, after: edit.content, encoding: edit.encoding }));
  }
  return parts;
}

/** Maximum bytes of content in one question, such as after an installation of many packages. */
export const MAX_ASKED = 4 * 1_024 * 1_024;

/**
 * The parts of the changes between two states.
 *
 * @param maxBytes Maximum content of all parts together; further files are listed without their content. The same rows
 *   give the same parts. Default: unlimited.
 */
export async function toChangeParts(
  snapshots: Snapshots,
  rows: readonly TreeChange[],
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ChangePart[]> {
  let left = maxBytes;
  const read = async (side: TreeChange['before']): Promise<Uint8Array | null> =>
    side && side.type !== 'directory' && side.size <= MAX_SHOWN_BYTES && snapshots.isStored(side)
      ? await snapshots.content(side)
      : null;
  const isUnstored = ({ before, after }: TreeChange): boolean =>
    [before, after].some((side) => side !== null && !snapshots.isStored(side));
  const parts: ChangePart[] = [];
  for (const row of rows) {
    left -= (row.before?.size ?? 0) + (row.after?.size ?? 0);
    const isShown = left >= 0;
    const before = isShown ? await read(row.before) : null;
    const after = isShown ? await read(row.after) : null;
    parts.push(toPart(row, { before, after, isUnstored: isUnstored(row) }));
  }
  return parts;
}

function toPart(row: TreeChange, { isUnstored, ...contents }: ChangeContents): ChangePart {
  return { row, ...contents, hunks: toChangeHunks(row, { ...contents, isUnstored }) };
}

/** The change as unified diff text. Changes without lines are described by a sentence. */
export function toDiffText(parts: readonly ChangePart[]): string {
  return parts
    .map(({ row, hunks }) => {
      const from = row.before === null ? '/dev/null' : `a/${row.path}`;
      const to = row.after === null ? '/dev/null' : `b/${row.path}`;
      return `--- ${from}\n+++ ${to}\n${hunks.map((hunk) => renderHunk(hunk).replace(/\n?$/, '\n')).join('')}`;
    })
    .join('');
}

/** The accepted content of a part. An edited hunk counts as accepted. @param restore As `Redactor.restore`. */
export function selectPart(
  { row, hunks, before, after, encoding }: ChangePart,
  answer: HunkAnswer,
  restore: (text: string, current: string) => string,
): KeptChange {
  const mine = new Set(hunks.map(({ id }) => id));
  const edited = (answer.edited ?? []).filter(({ id }) => mine.has(id));
  const current =
    edited.length > 0 ? [before, after].map((side) => (side && decodeText(side, encoding)) ?? '').join('\n') : '';
  const restored = edited.map(({ id, text }) => ({ id, text: restore(text, current) }));
  const accepted = [...new Set([...answer.accepted, ...(answer.edited ?? []).map(({ id }) => id)])];
  return keepHunks(row, { hunks, before, encoding, answer: { accepted, edited: restored } });
}
