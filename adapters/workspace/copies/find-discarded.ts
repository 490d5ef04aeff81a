import { existsSync } from 'node:fs';
import type { CopyRecord } from './copy-record.ts';
import { git } from './git.ts';
import { findSaved } from './remove-copy.ts';

type Copy = Pick<CopyRecord, 'repository' | 'path' | 'branch'>;

/** What was saved of a discarded copy: its newest commit, and the folder with the objects. Undefined if nothing was. */
export async function findDiscarded(copy: Copy): Promise<{ commit: string; gitFolder: string } | undefined> {
  if (!existsSync(copy.repository)) return undefined;
  const commit = await findSaved(copy);
  if (commit === undefined) return undefined;
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return { commit, gitFolder: await git(copy.repository, words) };
}
