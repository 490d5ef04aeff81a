import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyForeignFileSync, isRegularFile } from '@klaus/adapters/system';
import { isSecretFile } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { CopyRecord } from './copy-record.ts';
import { findTarget } from './copy-state.ts';
import { git, tryGit } from './git.ts';

/** Most characters of the diff of one file, and of all files. */
const MAX_FILE = 200_000;
const MAX_TOTAL = 2_000_000;

export interface CopyFileDiff {
  /** Relative to the top of the copy, with forward slashes. */
  path: string;
  change: 'created' | 'modified' | 'deleted';
  /** Lines; 0 for a binary file. */
  added: number;
  removed: number;
  /** Unified diff. Null: too large, or a file with secrets. */
  diff: string | null;
  /** True for a file with secrets. */
  isSecret: boolean;
}

/**
 * The changes of a copy, committed or not, against the commit that it has in common with its branch. It can be read while
 * a process works in the copy, and changes nothing but its objects.
 *
 * @param options.secrets Further globs of secret files.
 * @throws KlausError `copy.missing`.
 */
export async function readCopyDiff(
  record: CopyRecord,
  { secrets }: { secrets: readonly string[] },
): Promise<{ base: string; files: CopyFileDiff[] }> {
  const { path } = record;
  if (!existsSync(path)) {
    throw new KlausError('copy.missing', `The folder ${path} of the working copy was deleted.`, {
      hint: '`klaus discard` removes what is left of it.',
    });
  }
  const target = await findTarget(record, record.target);
  const base = (target && (await tryGit(path, ['merge-base', target, 'HEAD']))) ?? record.base;
  const tree = await writeTree(path);
  const given = ['diff', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'];
  const range = [base, tree];
  const [listed, counted, text] = await Promise.all([
    git(path, [...given, '--name-status', '-z', ...range]),
    git(path, [...given, '--numstat', '-z', ...range]),
    git(path, [...given, '-p', ...range]),
  ]);
  const counts = new Map(
    counted.split('\0').flatMap((row) => {
      const [added = '', removed = '', name] = row.split('\t');
      return name === undefined ? [] : [[name, { added: Number(added) || 0, removed: Number(removed) || 0 }] as const];
    }),
  );
  const diffs = text.split(/^(?=diff --git )/m).filter((one) => one !== '');
  const names = listed.split('\0');
  const files: CopyFileDiff[] = [];
  let left = MAX_TOTAL;
  for (let at = 0; at + 1 < names.length; at += 2) {
    const [letter, name] = [names[at]!, names[at + 1]!];
    // A file that becomes a symlink, or the reverse, is deleted and created.
    const own = diffs.splice(0, letter === 'T' ? 2 : 1).map((one) => toPlain(one, name));
    const isSecret = isSecretFile(name, secrets);
    const diff = own.join('');
    const isShown = !isSecret && diff.length <= Math.min(MAX_FILE, left);
    if (isShown) left -= diff.length;
    const change = letter === 'A' ? 'created' : letter === 'D' ? 'deleted' : 'modified';
    files.push({
      path: name,
      change,
      ...(counts.get(name) ?? { added: 0, removed: 0 }),
      diff: isShown ? diff : null,
      isSecret,
    });
  }
  return { base, files };
}

/** The files of the copy as a tree, without a change of its index. */
async function writeTree(path: string): Promise<string> {
  const folder = join(path, '.git');
  const index = join(folder, `index-of-diff-${process.pid}-${performance.now()}`);
  if (isRegularFile(join(folder, 'index'))) copyForeignFileSync(join(folder, 'index'), index);
  const env = { GIT_INDEX_FILE: index };
  try {
    await tryGit(path, ['add', '-A', '--ignore-errors', '.'], { env });
    return await git(path, ['write-tree'], { env });
  } finally {
    rmSync(index, { force: true });
  }
}

/** The diff of one file from its line `--- `. Without lines, a note replaces them. */
function toPlain(diff: string, name: string): string {
  const start = diff.search(/^--- /m);
  if (start >= 0) return diff.slice(start);
  const mode = /^new mode (\d+)$/m.exec(diff)?.[1];
  const note = diff.includes('\nBinary files ') ? 'binary file' : mode === undefined ? 'empty file' : `mode ${mode}`;
  return `--- a/${name}\n+++ b/${name}\n${note}\n`;
}
