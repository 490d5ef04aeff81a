import {
  copyFileSync,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** A cache that a build tool of the user filled. */
interface UserCache {
  /** Files of a workspace, in it or in a folder of it, that say that it uses the tool. */
  markers: readonly string[];
  /** Where the user has it, absolute. */
  find: (env: Environment, home: string) => string;
  /** Where the tool looks for it, relative to the home folder of commands. */
  path: string;
  /** Files that the tool writes again, by their path in the cache: they are copied. All others are linked. */
  copies?: RegExp;
  /** Paths in the cache that are left out. */
  skips?: RegExp;
}

/**
 * Caches of the user that commands begin with: the user's own builds use what lies in them already. The tools write
 * beside the entries, and never into them. Cargo's git databases are none of them: they hold addresses, which may hold
 * credentials.
 *
 * @source https://doc.rust-lang.org/cargo/guide/cargo-home.html, https://pkg.go.dev/cmd/go#hdr-Build_and_test_caching,
 * https://maven.apache.org/resolver/local-repository.html
 */
const CACHES: readonly UserCache[] = [
  ...['registry/index', 'registry/cache'].map((part): UserCache => ({
    markers: ['Cargo.toml'],
    find: (env, home) => join(env['CARGO_HOME'] || join(home, '.cargo'), part),
    path: `.cargo/${part}`,
    ...(part === 'registry/cache' ? {} : { copies: /./ }),
    skips: /(?:^|\/)(?:\.cargo-index-lock|\.last-updated|.*\.lock)$|^github\.com-1ecc6299db9ec823\//,
  })),
  {
    markers: ['pom.xml', 'build.gradle', 'build.gradle.kts'],
    find: (_, home) => join(home, '.m2/repository'),
    path: '.m2/repository',
    copies: /\/(?:_remote\.repositories|maven-metadata[^/]*|resolver-status\.properties)$/,
    skips: /\.(?:lastUpdated|part|lock)$/,
  },
  {
    markers: ['go.mod', 'go.work'],
    find: (env, home) => env['GOCACHE'] || join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'go-build'),
    path: '.cache/go-build',
    copies: /^[^/]+$/,
    skips: /^(?:testexpire\.txt|trim\.txt|fuzz\/.*)$/,
  },
];

/** Entries of one cache, and bytes that are copied of it: more would keep the first command of a session waiting. */
const MAX_ENTRIES = 60_000;
const MAX_COPIED = 64 * 1_048_576;

/** A cache of the user that a workspace uses. */
export interface FoundCache extends Pick<UserCache, 'path' | 'copies' | 'skips'> {
  /** Absolute real path on this machine; commands see it there, read-only. */
  folder: string;
}

/**
 * The caches of the user that a workspace can use.
 *
 * @param env Of the user.
 * @param workspace Absolute path.
 */
export function findUserCaches(env: Environment, workspace: string): FoundCache[] {
  const home = env['HOME'] || homedir();
  return CACHES.flatMap(({ markers, find, path, copies, skips }) => {
    const folder = find(env, home);
    if (!isAbsolute(folder) || !isFolder(folder) || !hasMarker(workspace, markers)) return [];
    return [{ folder: realpathSync(folder), path, ...(copies ? { copies } : {}), ...(skips ? { skips } : {}) }];
  });
}

/**
 * Gives a new home what the caches hold: links to their entries, and copies of what a tool writes again. Nothing of a
 * cache is changed by what commands do with it.
 *
 * @param home Absolute path of a home folder in which no command ran yet.
 */
export function linkUserCaches(home: string, caches: readonly FoundCache[]): void {
  for (const { folder, path, copies, skips } of caches) {
    let copied = 0;
    let entries = 0;
    for (const entry of walk(folder)) {
      if (skips?.test(entry)) continue;
      if (++entries > MAX_ENTRIES) break;
      const source = join(folder, entry);
      const target = join(home, path, entry);
      const size = copies?.test(entry) ? (statSync(source, { throwIfNoEntry: false })?.size ?? 0) : undefined;
      if (size !== undefined && (copied += size) > MAX_COPIED) continue;
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      if (size === undefined) symlinkSync(source, target);
      else copyFileSync(source, target);
    }
  }
}

/** Plain files below a folder, relative to it. Links and what cannot be read are left out. */
function* walk(root: string, below = ''): Generator<string> {
  for (const entry of readFolder(join(root, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

function hasMarker(workspace: string, markers: readonly string[]): boolean {
  if (markers.some((name) => existsSync(join(workspace, name)))) return true;
  return readFolder(workspace).some(
    (entry) =>
      entry.isDirectory() &&
      entry.name !== 'node_modules' &&
      markers.some((name) => existsSync(join(workspace, entry.name, name))),
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
