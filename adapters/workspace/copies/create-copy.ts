import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyForeignFileSync, isRegularFile } from '@klaus/adapters/system';
import { isKlausError } from '@klaus/core/protocol';
import { toPin, type CopyRecord } from './copy-record.ts';
import { git } from './git.ts';
import { checkOut, initializeCopy } from './initialize-copy.ts';
import { refuse, type RepositoryFacts } from './inspect-repository.ts';
import { createSubmodules } from './submodules.ts';

export interface CopyContent {
  /** True: the copy starts with the uncommitted changes of the original. */
  changes: boolean;
  /** Globs of ignored files that are copied: without a slash in every folder, else from the top. */
  files: readonly string[];
}

/**
 * Creates the folder of a copy: a repository whose objects are those of the original, with its branches, tags and
 * remotes, on a new branch. The original gets one ref, which keeps the commit from which the copy starts.
 *
 * @throws KlausError `copy.refused`, `tool.failed`.
 */
export async function createCopy(record: CopyRecord, from: RepositoryFacts, content: CopyContent): Promise<string[]> {
  const { path, base, branch } = record;
  await git(from.top, ['update-ref', toPin(record), base]);
  const objects = await initializeCopy(path, from);
  await writeRefs(path, from);
  await git(path, ['update-ref', `refs/heads/${branch}`, base]);
  await git(path, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  await checkOutFiles(path, from);
  const submodules = await createSubmodules({ from: from.top, to: path });
  if (content.changes) await copyChanges(from, path);
  await copyIgnored(from.top, path, content.files);
  return [...new Set([...objects, ...submodules])];
}

/** @throws KlausError `copy.refused` for objects that are damaged, or that a partial clone cannot download. */
async function checkOutFiles(path: string, { top }: RepositoryFacts): Promise<void> {
  try {
    await checkOut(path, 'HEAD');
  } catch (error) {
    if (!isKlausError(error)) throw error;
    throw refuse(`The files of ${top} cannot be checked out: ${error.message}`, {
      hint: `Check the repository with \`git fsck\`. In a partial clone, \`git checkout\` must be able to reach the remote.`,
    });
  }
}

/** Branches, tags and remote branches, as a linked worktree would see them. */
async function writeRefs(path: string, { top }: RepositoryFacts): Promise<void> {
  const places = ['refs/heads', 'refs/tags', 'refs/remotes'];
  const listed = await git(top, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)', ...places]);
  const lines = listed.split('\n').filter((line) => line.endsWith(' ') && !line.includes(' refs/heads/klaus/'));
  writeFileSync(join(path, '.git', 'packed-refs'), lines.map((line) => `${line.trimEnd()}\n`).join(''));
}

/** The tracked and new files of the original, as uncommitted changes of the copy. The original is only read. */
async function copyChanges(from: RepositoryFacts, path: string): Promise<void> {
  const index = join(path, '.git', 'index-of-original');
  if (isRegularFile(join(from.gitDir, 'index'))) copyForeignFileSync(join(from.gitDir, 'index'), index);
  // New objects are written to the copy.
  const env = {
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: join(path, '.git', 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(from.common, 'objects'),
  };
  try {
    await git(from.top, ['add', '-A', '--ignore-errors', '.'], { env });
    const tree = await git(from.top, ['write-tree'], { env });
    await git(path, ['read-tree', '--reset', '-u', tree]);
    await git(path, ['reset', '-q']);
  } finally {
    rmSync(index, { force: true });
  }
}

/** Copies ignored regular files that match the globs. */
async function copyIgnored(top: string, path: string, globs: readonly string[]): Promise<void> {
  if (globs.length === 0) return;
  const patterns = globs.map((glob) => `:(glob)${glob.includes('/') ? glob : `**/${glob}`}`);
  const listed = await git(top, ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--', ...patterns]);
  for (const name of listed.split('\0').filter((one) => one !== '' && !one.endsWith('/'))) {
    if (!lstatSync(join(top, name)).isFile() || existsSync(join(path, name))) continue;
    mkdirSync(dirname(join(path, name)), { recursive: true });
    copyForeignFileSync(join(top, name), join(path, name));
  }
}
