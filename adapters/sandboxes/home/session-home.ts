import { createHash, randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStatus } from '../background/process-status.ts';
import { listNumbers, toSessionFolder } from '../background/process-files.ts';
import { isGone, ownName } from '../process/owner.ts';
import { CONFIGURATION, PARENTS } from './configuration.ts';
import { toFetched } from './fetched-folders.ts';
import { saveFetched } from './save-fetched.ts';
import { linkEntries, promoteEntries } from './shared-cache.ts';
import { removeFolder } from './remove-folder.ts';
import { type FoundCache, findFetchedCaches, linkUserCaches } from './user-caches.ts';
import { isPlainFolder, listNames } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

const DAY_MS = 86_400_000;
/** An unused home is removed after this time. */
const UNUSED_MS = 7 * DAY_MS;
/** Also removed if its owners are in another pid namespace, and so cannot be checked. */
const LONGEST_MS = 30 * DAY_MS;
const MAX_TRIES = 5;

export interface SessionHomeOptions {
  /** Cache folder of the workspace. */
  root: string;
  /** Klaus's own state. */
  state: string;
  /** Default: a new home, which is removed later. */
  session?: string;
  /** Caches of the user that a new home gets. Default: none. */
  userCaches?: readonly FoundCache[];
}

export interface HomeMount {
  /** Path on this machine. */
  source: string;
  /** Path in the sandbox. */
  target: string;
  writable: boolean;
  /** Path in the sandbox at which an earlier mount already shows the source, with the same rights. */
  shown?: string;
}

export interface SessionHome {
  /** HOME in the sandbox: the same for every session of a workspace, because caches contain absolute paths. */
  home: string;
  /** Path on this machine: a folder of this session only. */
  source: string;
  /** In mount order. */
  mounts: readonly HomeMount[];
}

/** Opens the home of a session. A new home contains only cache entries. Unused homes of other sessions are removed. */
export function openSessionHome(options: SessionHomeOptions): SessionHome {
  const { root, session, userCaches = [] } = options;
  const key = session === undefined ? `once-${randomUUID()}` : toKey(session);
  const homes = join(root, 'homes');
  const folder = join(homes, key);
  mkdirSync(homes, { recursive: true, mode: 0o700 });
  sweep(options, key);
  for (let attempt = 1; ; attempt++) {
    try {
      claim(folder, session);
      if (!isPlainFolder(join(folder, 'home'))) create(options, folder);
      break;
    } catch (error) {
      // Another Klaus process removed or created it at the same time.
      if (attempt === MAX_TRIES) throw error;
    }
  }
  const home = join(root, 'home');
  const source = join(folder, 'home');
  createMountPoints(root, source);
  return { home, source, mounts: [...toMounts(root, { source, home }), ...toOwnPlaces(folder, userCaches)] };
}

export function removeSessionHome(state: string, session: string): void {
  for (const name of listNames(join(state, 'cache'))) {
    const homes = join(state, 'cache', name, 'homes');
    if (listNames(homes).length > 0) remove(join(homes, toKey(session)));
  }
}

/**
 * Stores the cache entries of a session's home for later homes of the workspace.
 *
 * @param session A session that has ended and that ran only downloads.
 * @returns Number of stored entries.
 */
export function saveSessionCaches(root: string, session: string): number {
  const folder = join(root, 'homes', toKey(session));
  return saveFetched({ home: join(folder, 'home'), places: join(folder, PLACES) }, toFetched(root));
}

function toKey(session: string): string {
  return `session-${createHash('sha256').update(session).digest('hex').slice(0, 24)}`;
}

/** Marks a home as used by this process, before it is opened. */
function claim(folder: string, session: string | undefined): void {
  mkdirSync(join(folder, 'owners'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'owners', ownName()), '', { mode: 0o600 });
  if (session !== undefined) writeFileSync(join(folder, 'session'), session, { mode: 0o600 });
  const now = new Date();
  utimesSync(folder, now, now);
}

/** Creates a home under a temporary name and renames it when it is complete. */
function create({ root, userCaches = [] }: SessionHomeOptions, folder: string): void {
  const store = toStore(root);
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const others = listNames(dirname(folder)).map((name) => join(root, 'homes', name, 'home'));
  const made = join(folder, `new-${randomUUID()}`);
  mkdirSync(made, { mode: 0o700 });
  promoteEntries(store, others.filter(isPlainFolder));
  linkEntries(store, made, join(root, 'home', SHOWN_STORE));
  linkUserCaches(made, [...findFetchedCaches(toFetched(root), join(root, 'home', SHOWN_FETCHED)), ...userCaches]);
  for (const path of new Set(userCaches.flatMap((cache) => (cache.place === undefined ? [] : [cache.path])))) {
    const own = join(folder, PLACES, path);
    rmSync(own, { recursive: true, force: true });
    mkdirSync(join(made, path), { recursive: true, mode: 0o700 });
    mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
    renameSync(join(made, path), own);
  }
  renameSync(made, join(folder, 'home'));
}

/** Folder next to the home with the caches that commands see at other paths. */
const PLACES = 'places';

/** Path in the home at which commands see the persistent cache entries. */
const SHOWN_STORE = '.klaus-cache';

/** Path in the home at which commands see the downloads of the workspace. */
const SHOWN_FETCHED = '.klaus-fetched';

/** Path in the home at which commands see the placeholders of configuration. */
const SHOWN_PLACEHOLDERS = '.klaus-placeholders';

function toStore(root: string): string {
  return join(root, 'entries');
}

function createMountPoints(root: string, source: string): void {
  const placeholders = join(root, PLACEHOLDERS);
  mkdirSync(join(placeholders, EMPTY), { recursive: true, mode: 0o700 });
  for (const content of new Set(CONFIGURATION.map((place) => place.content)))
    if (content !== undefined) writeFileSync(join(placeholders, toPlaceholder(content)), content, { mode: 0o600 });
  mkdirSync(toFetched(root), { recursive: true, mode: 0o700 });
  for (const parent of [...PARENTS, SHOWN_STORE, SHOWN_FETCHED, SHOWN_PLACEHOLDERS]) ensure(join(source, parent), true);
  let file: string | undefined;
  for (const { path, isFolder } of CONFIGURATION) {
    ensure(join(source, path), isFolder, file);
    if (!isFolder) file ??= join(source, path);
  }
}

/** @param other Another file that serves only as a mount point: linking it is faster than creating a file. */
function ensure(path: string, isFolder: boolean, other?: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && (isFolder ? found.isDirectory() : found.isFile())) return;
  if (found) rmSync(path, { recursive: true, force: true });
  if (isFolder) mkdirSync(path, { mode: 0o700 });
  else if (other === undefined || !canLink(other, path)) writeFileSync(path, '', { mode: 0o600 });
}

/** False if the filesystem has no hard links, or their limit is reached. */
function canLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Folder with the placeholders of configuration. */
const PLACEHOLDERS = 'placeholders';
/** An empty folder in it. */
const EMPTY = 'folder';

/** The name of the file in it with the given content. */
function toPlaceholder(content: string): string {
  return content === '' ? 'file' : createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function toMounts(root: string, { source, home }: { source: string; home: string }): HomeMount[] {
  const placeholders = join(root, PLACEHOLDERS);
  return [
    { source, target: home, writable: true },
    ...PARENTS.map((parent) => {
      const target = join(home, parent);
      return { source: join(source, parent), target, writable: true, shown: target };
    }),
    { source: toStore(root), target: join(home, SHOWN_STORE), writable: false },
    { source: toFetched(root), target: join(home, SHOWN_FETCHED), writable: false },
    { source: placeholders, target: join(home, SHOWN_PLACEHOLDERS), writable: false },
    ...CONFIGURATION.map(({ path, content }) => {
      const name = content === undefined ? EMPTY : toPlaceholder(content);
      const shown = join(home, SHOWN_PLACEHOLDERS, name);
      return { source: join(placeholders, name), target: join(home, path), writable: false, shown };
    }),
  ];
}

/** Mounts of caches that commands see at the path of the user's cache. Commands cannot write their parent folders. */
function toOwnPlaces(folder: string, caches: readonly FoundCache[]): HomeMount[] {
  const mounts = new Map<string, HomeMount>();
  for (const { path, place, folder: source, shown } of caches) {
    if (place === undefined || shown === undefined) continue;
    const own = join(folder, PLACES, path);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    mounts.set(place, { source: own, target: place, writable: true });
    if (isPlainFolder(source)) mounts.set(shown, { source, target: shown, writable: false });
  }
  return [...mounts.values()];
}

/** Removes unused homes, and the home that earlier versions shared between sessions. */
function sweep({ root, state }: SessionHomeOptions, own: string): void {
  remove(join(root, 'home'));
  for (const name of listNames(join(root, 'homes'))) {
    if (name === own) continue;
    const folder = join(root, 'homes', name);
    if (name.startsWith('gone-') || isUnused(folder, state)) remove(folder);
  }
}

function isUnused(folder: string, state: string): boolean {
  const usedAt = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (usedAt === undefined) return false;
  const age = Date.now() - usedAt;
  const session = readText(join(folder, 'session'));
  if (session !== undefined && hasProcesses(state, session)) return false;
  if (age > LONGEST_MS) return true;
  if (session === undefined ? age > DAY_MS : age <= UNUSED_MS) return session === undefined;
  const owners = listNames(join(folder, 'owners'));
  // Without owners it is just being created.
  return owners.length === 0 ? age > DAY_MS : owners.every(isGone);
}

function hasProcesses(state: string, session: string): boolean {
  const folder = toSessionFolder(state, session);
  return listNumbers(folder).some((number) => readStatus(join(folder, `p${number}`))?.state === 'running');
}

/** Renames a home before removing it, so that no process opens a partly removed one. Failures are retried later. */
function remove(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return;
  const gone = join(dirname(folder), `gone-${randomUUID()}`);
  try {
    renameSync(folder, gone);
    removeFolder(gone);
  } catch {
    // It contains files of another user.
  }
}
