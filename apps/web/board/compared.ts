import { parseDiff } from '@klaus/core/conversation';
import type { Hunk } from '@klaus/core/protocol';
import { isProblemError } from '@klaus/server/client';
import type { CopyView, SessionDetail } from '@klaus/server/contract';
import { client } from '../state/client.ts';

export interface ComparedFile {
  path: string;
  added: number;
  removed: number;
  hunks: readonly Hunk[];
  /** Why its hunks are not known. */
  hidden?: 'isSecret' | 'isTooLarge';
}

/** The changes of a session: those of its working copy, or of its turns. */
export interface Compared {
  /** Absent for a session without a copy, and after the copy has ended. */
  copy?: CopyView;
  /** How its copy ended. */
  ended?: NonNullable<NonNullable<SessionDetail['workingCopy']>['ended']>;
  files: readonly ComparedFile[];
}

export async function loadCompared(id: string): Promise<Compared> {
  const { workingCopy } = await client.session({ params: { id } });
  if (workingCopy && workingCopy.ended === null) {
    try {
      return await loadCopy(workingCopy.name);
    } catch (error) {
      // A fork shares the copy of its original, whose log has the end.
      if (!isProblemError(error) || error.problem.code !== 'copy.missing') throw error;
    }
  }
  const { diff, changes } = await client.changes({ params: { id }, query: {} });
  const isFolder = new Set(
    changes.flatMap(({ path, before, after }) => ((after ?? before)?.type === 'directory' ? [path] : [])),
  );
  const hunks = parseDiff(diff).filter(({ path }) => !isFolder.has(path));
  const byPath = Map.groupBy(hunks, ({ path }) => path);
  const files = [...byPath].map(([path, own]) => ({ path, hunks: own, ...countLines(own) }));
  return workingCopy?.ended ? { ended: workingCopy.ended, files } : { files };
}

async function loadCopy(name: string): Promise<Compared> {
  const { copy, files } = await client.copyDiff({ params: { copy: name } });
  return {
    copy,
    files: files.map(({ path, added, removed, diff, isSecret }) => ({
      path,
      added,
      removed,
      hunks: diff === null ? [] : parseDiff(diff),
      ...(diff === null ? { hidden: isSecret ? ('isSecret' as const) : ('isTooLarge' as const) } : {}),
    })),
  };
}

function countLines(hunks: readonly Hunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}

/** The paths of all changed files, sorted. */
export function toPaths(compared: readonly (Compared | undefined)[]): string[] {
  return [...new Set(compared.flatMap((each) => each?.files.map(({ path }) => path) ?? []))].sort();
}

/** The first of the given files with the same change as the file at an index; undefined if no earlier one has it. */
export function findSame(files: readonly (ComparedFile | undefined)[], at: number): number | undefined {
  const toKey = (file: ComparedFile | undefined) =>
    file && !file.hidden ? JSON.stringify(file.hunks.map(({ oldStart, lines, note }) => [oldStart, lines, note])) : '';
  const key = toKey(files[at]);
  const first = key === '' ? -1 : files.findIndex((file) => toKey(file) === key);
  return first >= 0 && first < at ? first : undefined;
}

/** The letter by which a session is named in the comparison. */
export function toLetter(at: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + at);
}
