import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { findEntry, SIDES, splitConflicts, type ConflictedMerge, type ConflictFile, type Side } from './conflicts.ts';
import { git } from './git.ts';

/** What replaces a hunk: the text of one side, those of both (that of the branch first), or another text. */
export type HunkSolution = Side | 'both' | { text: string };

/** How the conflict of one file is solved: hunk by hunk, or as one side has the file. */
export type FileSolution = { path: string } & (
  | { hunks: readonly HunkSolution[]; side?: undefined }
  | { side: Side; hunks?: undefined }
);

/** The tree of a merge whose conflicts are solved. @throws KlausError `usage` for a conflict without a valid solution. */
export async function solveConflicts(
  folder: string,
  merge: ConflictedMerge,
  files: readonly FileSolution[],
): Promise<string> {
  const lines: string[] = [];
  for (const conflict of merge.conflicts) {
    const solution = files.find(({ path }) => path === conflict.path);
    if (!solution) throw refuse(conflict, 'it has none');
    const entry =
      solution.hunks === undefined
        ? await takeSide(folder, { merge, conflict, side: solution.side })
        : await solveHunks(folder, { merge, conflict, hunks: solution.hunks });
    lines.push(`${entry}\t${conflict.path}\0`);
  }
  const index = join(folder, '.git', 'index-of-merge');
  const env = { GIT_INDEX_FILE: index };
  try {
    await git(folder, ['read-tree', merge.tree], { env });
    await git(folder, ['update-index', '-z', '--index-info'], { env, input: lines.join('') });
    return await git(folder, ['write-tree'], { env });
  } finally {
    rmSync(index, { force: true });
  }
}

interface Conflicted {
  merge: ConflictedMerge;
  conflict: ConflictFile;
}

/** The line of the index for the file of one side; a side without the file deletes it. */
async function takeSide(folder: string, { merge, conflict, side }: Conflicted & { side: Side }): Promise<string> {
  if (conflict.sides.length === 0) throw refuse(conflict, 'neither side has a file there');
  const entry = await findEntry(folder, merge[side], conflict.path);
  if (!entry) return `0 ${'0'.repeat(merge.tree.length)}`;
  if (entry.type !== 'blob') throw refuse(conflict, 'one side has a folder or a submodule there');
  return `${entry.mode} ${entry.id}`;
}

async function solveHunks(
  folder: string,
  { merge, conflict, hunks }: Conflicted & { hunks: readonly HunkSolution[] },
): Promise<string> {
  const entry = await findEntry(folder, merge.tree, conflict.path);
  const count = conflict.hunks.length;
  if (!entry || count === 0) throw refuse(conflict, 'it has no hunks: take one side');
  if (hunks.length !== count) throw refuse(conflict, `it has ${count} hunks`);
  // Every byte is kept, in any encoding of the file.
  const { id, mode } = entry;
  const text = await git(folder, ['cat-file', 'blob', id], { encoding: 'latin1', keepsEnd: true });
  let at = 0;
  const solved = splitConflicts(text).map((part) => {
    if (typeof part === 'string') return part;
    const chosen = hunks[at++]!;
    if (typeof chosen === 'object') return Buffer.from(chosen.text, 'utf8').toString('latin1');
    return chosen === 'both' ? SIDES.map((side) => part[side]).join('') : part[chosen];
  });
  const input = solved.join('');
  return `${mode} ${await git(folder, ['hash-object', '-w', '--stdin'], { input, encoding: 'latin1' })}`;
}

function refuse({ path }: ConflictFile, reason: string): KlausError {
  return new KlausError('usage', `The solution of the conflict in ${path} is not valid: ${reason}.`, {
    hint: 'Repeat the merge without a solution: its answer has the conflicts.',
  });
}
