import { constants, copyFileSync, mkdirSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { contains } from '../paths.ts';
import { CACHES, type CacheRow } from './cache-table.ts';
import { isFolder, listEntries, listFolders } from '@klaus/adapters/system';

/** Limits of entries and of copied bytes for one part of a cache, so that the first command is not delayed. */
const MAX_ENTRIES = 60_000;
const MAX_COPIED = 64 * 1_048_576;
/** Packages that are checked when a session begins, at about 50 µs each. */
const MAX_LOOKED_AT = 10_000;
/** Each hidden folder is a mount of every command. A cache with more of them is not shown. */
const MAX_HIDDEN = 100;

/** A folder of a cache that a workspace uses. */
export interface FoundCache extends Pick<CacheRow, 'units' | 'copies' | 'skips' | 'hides'> {
  /** Absolute real path on this machine. */
  folder: string;
  /** Path in the sandbox, read-only; undefined if commands get only copies. */
  shown?: string;
  /** Path of the cache in the home folder of commands. */
  path: string;
  /** Path of the folder in the cache. */
  part: string;
  /** Folders directly in it that commands cannot see. */
  hidden?: ReadonlySet<string>;
  /** The path of the user's cache, if commands see their own cache there. */
  place?: string;
}

/** Path in the sandbox of the user's caches whose original path shows the cache of the session. */
const SHOWN_USER = '/run/klaus-caches';

/** The caches of the user for the tools of a workspace. */
export function findUserCaches(env: Readonly<Record<string, string | undefined>>, workspace: string): FoundCache[] {
  const home = env['HOME'] || homedir();
  return findRows(workspace).flatMap((row) => {
    const folder = row.find(env, home);
    if (row.onlyFetched || !isAbsolute(folder) || contains(workspace, folder)) return [];
    return findParts(row, folder).flatMap((plain) => {
      const hidden = findForeign(row, plain.folder);
      if (hidden && hidden.size > MAX_HIDDEN) return [];
      const found = { ...plain, ...(hidden && { hidden }) };
      if (row.copies === 'all') return found;
      if (!row.isAtOwnPlace) return { ...found, shown: found.folder };
      return { ...found, shown: join(SHOWN_USER, row.path, found.part), place: folder };
    });
  });
}

/** The downloaded caches in a folder with the layout of a home folder. `shown` is its path in the sandbox. */
export function findFetchedCaches(root: string, shown: string): FoundCache[] {
  return CACHES.flatMap((row) =>
    findParts(row, join(root, row.path)).map((found) => ({ ...found, shown: join(shown, row.path, found.part) })),
  );
}

/** The caches that commands filled in a folder with the layout of a home folder. Targets of links are left out. */
export function findOwnCaches(root: string): FoundCache[] {
  return CACHES.flatMap((row) => findParts(row, join(root, row.path))).filter(
    ({ folder, path, part }) => folder === join(root, path, part),
  );
}

/** Variables with which the tools of a workspace use the caches. */
export function toCacheVariables(workspace: string, caches: readonly FoundCache[]): Record<string, string> {
  const toPlace = ({ path }: CacheRow) => caches.find((found) => found.path === path)?.place ?? `~/${path}`;
  const entries = findRows(workspace).flatMap((row) => Object.entries(row.variables?.(toPlace(row)) ?? {}));
  return Object.fromEntries(entries);
}

/** Folders in a visible part of a cache that commands see empty. */
export function findHidden({ folder, hides, hidden = new Set() }: FoundCache): string[] {
  const names = [...hidden].filter((name) => isFolder(join(folder, name)));
  if (hides) names.push(...listFolders(folder).filter((name) => hides.test(name)));
  return names.map((name) => join(folder, name));
}

/** Folders of a part that commands must not see. */
function findForeign({ isPublic }: CacheRow, folder: string): ReadonlySet<string> | undefined {
  if (!isPublic) return undefined;
  const names = listFolders(folder);
  // Too many folders to check: none is shown.
  if (names.length > MAX_LOOKED_AT) return new Set(names);
  return new Set(names.filter((name) => !isPublic(join(folder, name))));
}

/**
 * Adds cache entries to a new home: links to entries, and copies of files that a tool changes. Commands cannot change the
 * caches themselves.
 *
 * @param caches The first cache with an entry takes precedence.
 */
export function linkUserCaches(home: string, caches: readonly FoundCache[]): void {
  for (const cache of caches) {
    const root = join(home, cache.path, cache.part);
    const made = new Set<string>();
    let copied = 0;
    let entries = 0;
    for (const entry of walkCache(cache)) {
      if (++entries > MAX_ENTRIES) break;
      const source = join(cache.folder, entry.path);
      const target = join(root, entry.path);
      const isCopied = entry.link === undefined && (cache.copies === 'all' || cache.copies?.test(entry.path));
      if (isCopied && (copied += statSync(source, { throwIfNoEntry: false })?.size ?? 0) > MAX_COPIED) continue;
      const parent = dirname(target);
      if (!made.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
      made.add(parent);
      try {
        if (isCopied) copyFileSync(source, target, constants.COPYFILE_EXCL);
        else symlinkSync(entry.link ?? join(cache.shown!, entry.path), target);
      } catch (error) {
        // It exists already, or was removed at the same time.
        if (!(error instanceof Error && 'code' in error && ['EEXIST', 'ENOENT'].includes(String(error.code))))
          throw error;
      }
    }
  }
}

interface CacheEntry {
  /** Relative to the part. */
  path: string;
  /** Target of a link within the cache; undefined for anything else. */
  link?: string;
}

/** Regular files, units and links within the cache. Other links and unreadable entries are left out. */
export function* walkCache(cache: FoundCache, below = ''): Generator<CacheEntry> {
  const { folder, part, units, skips, hidden } = cache;
  for (const entry of listEntries(join(folder, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (skips?.test(entry.isDirectory() ? `${path}/` : path) || hidden?.has(path)) continue;
    if (entry.isDirectory()) {
      if (units?.test(path)) yield { path };
      else yield* walkCache(cache, path);
    } else if (entry.isFile()) yield { path };
    else if (entry.isSymbolicLink()) {
      const link = readlinkSync(join(folder, path));
      const leads = normalize(join(part, dirname(path), link));
      if (!isAbsolute(link) && !leads.startsWith('..')) yield { path, link };
    }
  }
}

function findParts({ path, parts = [''], units, copies, skips, hides }: CacheRow, base: string): FoundCache[] {
  const given = { units, copies, skips, hides };
  return parts
    .flatMap((part) => expand(base, part === '' ? [] : part.split('/')))
    .map((part) => ({ folder: realpathSync.native(join(base, part)), path, part, ...given }));
}

/** Paths of matching folders, relative to the base. */
function expand(base: string, names: readonly string[], below = ''): string[] {
  const [name, ...rest] = names;
  if (name === undefined) return isFolder(join(base, below)) ? [below] : [];
  if (!name.includes('*')) return expand(base, rest, join(below, name));
  const [start = '', end = ''] = name.split('*');
  return listFolders(join(base, below))
    .filter((each) => each.startsWith(start) && each.endsWith(end))
    .flatMap((each) => expand(base, rest, join(below, each)));
}

function findRows(workspace: string): CacheRow[] {
  const names = new Set<string>();
  for (const entry of listEntries(workspace)) {
    names.add(entry.name);
    if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name === '.git') continue;
    for (const { name } of listEntries(join(workspace, entry.name))) names.add(name);
  }
  const all = [...names];
  const isThere = (marker: string): boolean =>
    marker.startsWith('*') ? all.some((name) => name.endsWith(marker.slice(1))) : names.has(marker);
  return CACHES.filter(({ markers }) => markers.some(isThere));
}
