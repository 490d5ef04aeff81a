import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHostPath } from '@klaus/adapters/system';
import { isSecretFile, SECRET_FILE_GLOBS } from '@klaus/core/policy';
import { type GitFolder, readIndex, readRefs } from './git-folder.ts';
import { writeHistoryCache, readHistoryCache } from './history-cache.ts';

/** One earlier content of a secret file. */
export interface OldVersion {
  /** Relative to the top of the working tree. */
  path: string;
  text: string;
}

export interface HistoryOptions {
  /** Further globs of the user. */
  patterns?: readonly string[];
  /** Contents that are read at most. Default: 500. */
  maxVersions?: number;
  /** Longer contents are left out, in bytes. Default: 1 MiB. */
  maxBytes?: number;
  /** Milliseconds after which what was found until then has to do. Default: 10,000. */
  timeoutMs?: number;
  /** Folder that only the user can write, where it is kept what the history holds. Default: it is not. */
  cache?: string | undefined;
}

/**
 * What secret files held in any commit that a ref, a stash or the log of HEAD leads to, and what is staged of
 * them. Git reads the objects from an empty repository of our own that borrows the object folder: neither
 * configuration nor hooks nor attributes of the repository itself have a say.
 *
 * @returns Nothing without Git, and for repositories whose names are SHA-256 or whose refs are a reftable.
 */
export async function readHistory(folder: GitFolder, options: HistoryOptions = {}): Promise<OldVersion[]> {
  const { patterns = [], maxVersions = 500, maxBytes = 1024 * 1024, timeoutMs = 10_000, cache } = options;
  const known = cache === undefined ? undefined : readHistoryCache(cache, folder, patterns);
  const blobs = new Map<string, string>();
  for (const { path, blob } of await readIndex(folder)) if (isSecretFile(path, patterns)) blobs.set(blob, path);
  const refs = await readRefs(folder);
  const seen = new Set(known?.commits);
  const fresh = refs.filter((ref) => !seen.has(ref));
  if (fresh.length === 0 && blobs.size === 0 && !known?.blobs.length) return [];
  const own = await mkdtemp(join(tmpdir(), 'klaus-history-'));
  try {
    await mkdir(join(own, 'refs'));
    await mkdir(join(own, 'objects'));
    await writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(own, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    const add = (found: Iterable<readonly [string, string]>): void => {
      for (const [blob, path] of found) if (!blobs.has(blob)) blobs.set(blob, path);
    };
    const run = (args: readonly string[], stdin: string) =>
      runGit(args, { own, objects: join(folder.commonDir, 'objects'), stdin, timeoutMs });
    if (fresh.length > 0) {
      const commits = refs.map((ref) => (seen.has(ref) ? `^${ref}` : ref)).join('\n');
      const words = ['--', ...toPathspecs(patterns)];
      const log = await run([...LOG, ...words], commits);
      const { isWhole } = log;
      // Something may name a commit that is not there, or not yet.
      const { bytes } = isWhole ? log : await run([...LOG, '--ignore-missing', ...words], commits);
      const found = new Map<string, string>();
      for (const [, before, after, path] of bytes.toString('utf8').matchAll(CHANGE))
        for (const blob of [after!, before!])
          if (!/^0+$/.test(blob) && !found.has(blob) && isSecretFile(path!, patterns)) found.set(blob, path!);
      for (const [blob, path] of known?.blobs ?? []) found.set(blob, path);
      add(found);
      // Otherwise a commit may be missing that comes later, as in a shallow clone. Its list of ends has no say: commands write it.
      if (cache !== undefined && isWhole)
        writeHistoryCache(cache, folder, { patterns, known: { commits: refs, blobs: [...found] } });
    } else add(known?.blobs ?? []);
    const named = [...blobs.keys()].slice(0, maxVersions);
    if (named.length === 0) return [];
    const sizes = await run(['cat-file', '--batch-check'], named.join('\n'));
    const small = [...sizes.bytes.toString().matchAll(/^([0-9a-f]{40}) blob (\d+)$/gm)].filter(
      (it) => +it[2]! <= maxBytes,
    );
    if (small.length === 0) return [];
    const contents = await run(['cat-file', '--batch'], small.map((it) => it[1]).join('\n'));
    return toVersions(contents.bytes, blobs);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

const LOG = ['log', '--stdin', '--full-history', '--format=', '--raw', '--no-abbrev', '--no-renames', '-m', '-z'];
/** `:100644 100644 <before> <after> M\0<path>\0` */
const CHANGE = /:[0-7]{6} [0-7]{6} ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\0([^\0]*)\0/g;

function toPathspecs(patterns: readonly string[]): string[] {
  const own = patterns.flatMap((pattern) =>
    pattern.includes('/') ? [pattern, `${pattern}/**`] : [pattern, `**/${pattern}`],
  );
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

interface RunOptions {
  own: string;
  objects: string;
  stdin: string;
  timeoutMs: number;
}

/** @returns `isWhole`: Git ended by itself and says that all is well. */
async function runGit(
  args: readonly string[],
  { own, objects, stdin, timeoutMs }: RunOptions,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
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
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Git may end before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(`${stdin}\n`);
  const isWhole = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  return { bytes: Buffer.concat(chunks), isWhole };
}
