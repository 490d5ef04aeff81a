import { join } from 'node:path';
import { isRegularFile, readForeignBytesSync } from '@klaus/adapters/system';
import { toIndexEntries } from '../git-index/git-index.ts';
import { block } from './commit-work.ts';
import type { CopyRecord } from './copy-record.ts';

/** Bytes. */
const MAX_BYTES = 1_024 * 1_024 * 1_024;

/**
 * The flags of an index that consists of several files, or that has entries for folders, cannot be checked.
 *
 * @throws KlausError `copy.blocked` with the command that writes it again.
 */
export function checkIndex({ path }: Pick<CopyRecord, 'path'>): void {
  const file = join(path, '.git', 'index');
  if (!isRegularFile(file)) return;
  const bytes = readForeignBytesSync(file, MAX_BYTES);
  if (toIndexEntries(bytes)) return;
  const isSplit = bytes.includes('link');
  throw block(
    `The index of the working copy cannot be checked: it is ${isSplit ? 'split' : 'sparse or of another kind'}.`,
    {
      hint: isSplit
        ? `Write it again with \`git -C ${path} update-index --no-split-index\`, and repeat the command.`
        : `Write it again with \`git -C ${path} sparse-checkout reapply --no-sparse-index\`, and repeat the command.`,
    },
  );
}
