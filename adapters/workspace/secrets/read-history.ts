import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRegularFile, toHostPath, writeCacheFile } from '@klaus/adapters/system';
import { isSecretFile, SECRET_FILE_GLOBS, SECRET_FILE_RULES, withoutComparison } from '@klaus/core/policy';
import { z } from 'zod';
import { type GitFolder, readIndex, readRefs } from './git-folder.ts';

/** One earlier content of a secret file. */
export interface OldVersion {
  /** Relative to the top of the working tree. */
  path: string;
  text: string;
}

/** Bytes of a content; longer ones are left out. */
export const MAX_BYTES = 1024 * 1024;
const MAX_VERSIONS = 500;
/** Time limit of each Git command in milliseconds, after which the partial result is used. */
const TIMEOUT_MS = 10_000;

/** The secret files in the searched history of a repository, without their contents. */
const cacheSchema = z.object({
  /** Commits that were searched together with all of their ancestors. */
  commits: z.array(z.string()),
  /** Object id and path of each secret file in these commits. */
  blobs: z.array(z.tuple([z.string(), z.string()])),
});

/**
 * The contents of secret files in all commits that are reachable from refs, stashes and the log of HEAD, and their staged
 * contents. Git runs in a separate empty repository that uses the object folder, so that configuration, hooks and
 * attributes of the repository have no effect. Commits never change, so only those are searched that the cache does not
 * contain.
 *
 * @param options.patterns Additional globs of the user.
 * @param options.cache Folder for the cache, which only the user can write. Absent: no cache.
 * @returns Empty without Git, for a store whose list of alternates is no file, and for repositories with SHA-256 names or a reftable.
 */
export async function readHistory(
  folder: GitFolder,
  { patterns, cache }: { patterns: readonly string[]; cache: string | undefined },
): Promise<OldVersion[]> {
  const file = cache === undefined ? undefined : toCacheFile(cache, folder, patterns);
  const known = file === undefined ? undefined : readCache(file);
  const blobs = new Map<string, string>();
  for (const { path, blob } of await readIndex(folder)) if (isSecretFile(path, patterns)) blobs.set(blob, path);
  const refs = await readRefs(folder);
  // Git would wait for a named pipe.
  const alternates = lstatSync(join(folder.commonDir, 'objects/info/alternates'), { throwIfNoEntry: false });
  if (alternates && !isRegularFile(join(folder.commonDir, 'objects/info/alternates'))) return [];
  const seen = new Set(known?.commits);
  const fresh = refs.filter((ref) => !seen.has(ref));
  if (fresh.length === 0 && blobs.size === 0 && !known?.blobs.length) return [];
  const own = cache === undefined ? await mkdtemp(join(tmpdir(), 'klaus-history-')) : join(cache, 'empty-repository');
  try {
    await makeEmpty(own);
    const add = (found: Iterable<readonly [string, string]>): void => {
      for (const [blob, path] of found) if (!blobs.has(blob)) blobs.set(blob, path);
    };
    const run = (args: readonly string[], stdin: string) =>
      runGit(args, { own, objects: join(folder.commonDir, 'objects'), stdin });
    if (fresh.length > 0) {
      const commits = refs.map((ref) => (seen.has(ref) ? `^${ref}` : ref)).join('\n');
      const words = ['--', ...toPathspecs(patterns)];
      const log = await run([...LOG, ...words], commits);
      const { isComplete } = log;
      // A ref may point to a missing commit.
      const { bytes } = isComplete ? log : await run([...LOG, '--ignore-missing', ...words], commits);
      const found = new Map<string, string>();
      for (const [, before, after, path] of bytes.toString('utf8').matchAll(CHANGE))
        for (const blob of [after!, before!])
          if (!/^0+$/.test(blob) && !found.has(blob) && isSecretFile(path!, patterns)) found.set(blob, path!);
      for (const [blob, path] of known?.blobs ?? []) found.set(blob, path);
      add(found);
      // An incomplete result is not cached: missing commits may be fetched later, as in a shallow clone.
      if (file !== undefined && isComplete) writeCacheFile(file, { commits: refs, blobs: [...found] });
    } else add(known?.blobs ?? []);
    const named = [...blobs.keys()].slice(0, MAX_VERSIONS);
    if (named.length === 0) return [];
    const sizes = await run(['cat-file', '--batch-check'], named.join('\n'));
    const small = [...sizes.bytes.toString().matchAll(/^([0-9a-f]{40}) blob (\d+)$/gm)].filter(
      (it) => +it[2]! <= MAX_BYTES,
    );
    if (small.length === 0) return [];
    const contents = await run(['cat-file', '--batch'], small.map((it) => it[1]).join('\n'));
    return toVersions(contents.bytes, blobs);
  } finally {
    if (cache === undefined) await rm(own, { recursive: true, force: true });
  }
}

const EMPTY_REPOSITORY = {
  HEAD: 'ref: refs/heads/none\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
};

/**
 * Makes an empty repository of a folder, or completes one that was interrupted. Nothing else writes to it, so that the one
 * in the cache is always the same, and a killed process leaves nothing.
 */
async function makeEmpty(folder: string): Promise<string> {
  for (const name of ['refs', 'objects']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(EMPTY_REPOSITORY)) {
    const file = join(folder, name);
    const present = await readFile(file, 'utf8').catch(() => undefined);
    if (present === text) continue;
    const part = `${file}.${randomUUID()}`;
    await writeFile(part, text);
    await rename(part, file);
  }
  return folder;
}

const LOG = ['log', '--stdin', '--full-history', '--format=', '--raw', '--no-abbrev', '--no-renames', '-m', '-z'];
/** `:100644 100644 <before> <after> M\0<path>\0` */
const CHANGE = /:[0-7]{6} [0-7]{6} ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\0([^\0]*)\0/g;

function toPathspecs(patterns: readonly string[]): string[] {
  const own = patterns
    .map(withoutComparison)
    .flatMap((pattern) => (pattern.includes('/') ? [pattern, `${pattern}/**`] : [pattern, `**/${pattern}`]));
  const globs = SECRET_FILE_GLOBS.map((glob) => (glob.includes('/') ? glob : `**/${glob}`));
  return [...globs, ...own.map((glob) => glob.replace(/^\//, ''))].map((glob) => `:(top,icase,glob)${glob}`);
}

function toVersions(contents: Buffer, blobs: ReadonlyMap<string, string>): OldVersion[] {
  const versions: OldVersion[] = [];
  for (let at = 0; at < contents.length;) {
    const end = contents.indexOf(10, at);
    const [blob = '', , size] = contents.toString('latin1', at, end < 0 ? at : end).split(' ');
    if (size === undefined) break;
    const start = end + 1;
    versions.push({ path: blobs.get(blob) ?? '', text: contents.toString('utf8', start, start + Number(size)) });
    at = start + Number(size) + 1;
  }
  return versions;
}

/** The result of earlier processes with the present rules; undefined without one. */
function readCache(file: string): z.infer<typeof cacheSchema> | undefined {
  try {
    return cacheSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function toCacheFile(cache: string, folder: GitFolder, patterns: readonly string[]): string {
  const key = createHash('sha256')
    .update(JSON.stringify([SECRET_FILE_RULES, folder.commonDir, patterns]))
    .digest('hex');
  return join(cache, 'history', `${key.slice(0, 32)}.json`);
}

/** @returns `isComplete`: Git exited successfully. */
async function runGit(
  args: readonly string[],
  { own, objects, stdin }: { own: string; objects: string; stdin: string },
): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const child = spawn('git', ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args], {
    cwd: own,
    env: {
      PATH: toHostPath(),
      GIT_DIR: own,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C.UTF-8',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Git may exit before it has read all input.
  child.stdin.on('error', () => {});
  child.stdin.end(`${stdin}\n`);
  const isComplete = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  return { bytes: Buffer.concat(chunks), isComplete };
}
