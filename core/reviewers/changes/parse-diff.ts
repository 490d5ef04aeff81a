import { parsePatch } from 'diff/lib/patch/parse.js';
import { toHunks } from '../../policy/index.ts';
import type { ChangedFile, ChangedLines } from './changed-file.ts';

/**
 * The files of a unified diff, with or without the headers of git.
 *
 * @throws Error if the text is no diff.
 */
export function parseDiff(text: string): ChangedFile[] {
  return parsePatch(text).flatMap((patch) => {
    const before = toPath(patch.oldFileName);
    const after = toPath(patch.newFileName);
    const path = after ?? before;
    if (path === undefined) return [];
    const kind = toKind({ before, after, ...patch });
    const from = kind === 'renamed' ? before : undefined;
    return { path, kind, from, hunks: patch.hunks.map(toLines) };
  });
}

/** A change of one file by its complete texts; `undefined` is a file that does not exist. */
export function toChangedFile(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const kind = before === undefined ? 'created' : after === undefined ? 'deleted' : 'modified';
  const hunks = toHunks(before ?? '', after ?? '', { path });
  return { path, kind, hunks: hunks.map(({ newStart, lines }) => toLines({ newStart, lines })) };
}

function toPath(name: string | undefined): string | undefined {
  if (name === undefined || name === '/dev/null') return undefined;
  return name.replace(/^[abciow]\//, '');
}

interface Sides {
  before: string | undefined;
  after: string | undefined;
  isCreate?: boolean;
  isDelete?: boolean;
  isRename?: boolean;
}

function toKind({ before, after, isCreate, isDelete, isRename }: Sides): ChangedFile['kind'] {
  if (isCreate || before === undefined) return 'created';
  if (isDelete || after === undefined) return 'deleted';
  return isRename || before !== after ? 'renamed' : 'modified';
}

function toLines({ newStart, lines }: { newStart: number; lines: readonly string[] }): ChangedLines {
  const side = (mark: string) =>
    lines.filter((line) => line.startsWith(mark) || line.startsWith(' ')).map((line) => line.slice(1));
  return { line: newStart, before: side('-'), after: side('+') };
}
