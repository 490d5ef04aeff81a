import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { copyForeignFileSync, isRegularFile, readForeignFileSync } from '@klaus/adapters/system';
import { toInheritedConfiguration } from './configuration-text.ts';
import { git, tryGit } from './git.ts';
import { refuse, type RepositoryFacts } from './inspect-repository.ts';

/** Levels of alternates. Source: `alt_odb` in Git's object-file.c. */
const MAX_ALTERNATES = 5;
/** With fewer files Git checks out faster in one process. */
const PARALLEL_FROM = 500;

/**
 * An empty repository that shares the objects of another one.
 *
 * @returns The shared object stores: that of the repository, and those that it shares itself.
 */
export async function initializeCopy(path: string, from: Pick<RepositoryFacts, 'top' | 'common'>): Promise<string[]> {
  const objects = join(from.common, 'objects');
  if (/[\n\r]/.test(objects)) throw refuse(`${objects} contains a line break.`, { hint: 'Rename the folder.' });
  const format = (await tryGit(from.top, ['rev-parse', '--show-object-format'])) ?? 'sha1';
  mkdirSync(path, { recursive: true, mode: 0o700 });
  await git(path, ['init', '-q', '--template=', `--object-format=${format}`, '.']);
  const folder = join(path, '.git');
  mkdirSync(join(folder, 'objects', 'info'), { recursive: true });
  writeFileSync(join(folder, 'objects', 'info', 'alternates'), `${objects}\n`);
  // A shallow repository has no parents for these commits.
  if (isRegularFile(join(from.common, 'shallow')))
    copyForeignFileSync(join(from.common, 'shallow'), join(folder, 'shallow'));
  mkdirSync(join(folder, 'info'), { recursive: true });
  for (const name of ['exclude', 'attributes']) {
    const file = join(from.common, 'info', name);
    if (isRegularFile(file)) copyForeignFileSync(file, join(folder, 'info', name));
  }
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  const listed = (await tryGit(from.top, ['config', '--local', '--list', '-z'])) ?? '';
  const config = join(folder, 'config');
  writeFileSync(config, readFileSync(config, 'utf8') + toInheritedConfiguration(listed));
  return [objects, ...listAlternates(objects)];
}

/** The object stores that a store reads, and those that they read. Git follows five levels. */
function listAlternates(objects: string, depth = 1): string[] {
  const file = join(objects, 'info', 'alternates');
  if (depth > MAX_ALTERNATES || !isRegularFile(file)) return [];
  const named = readForeignFileSync(file)
    .text.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return named.flatMap((line) => {
    const store = resolve(objects, line);
    // Commands see these folders: another one than an object store is left out.
    if (!existsSync(join(store, 'pack'))) return [];
    const real = realpathSync.native(store);
    return basename(real) === 'objects' ? [real, ...listAlternates(real, depth + 1)] : [];
  });
}

/** Checks out a commit, or the branch of HEAD, with several processes. */
export async function checkOut(path: string, commit: string): Promise<void> {
  const parallel = ['-c', `checkout.workers=${availableParallelism()}`];
  await git(path, [
    ...parallel,
    '-c',
    `checkout.thresholdForParallelism=${PARALLEL_FROM}`,
    'checkout',
    '-q',
    '-f',
    commit,
    '--',
  ]);
}
