import { createHash, randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStatus } from '../background/process-status.ts';
import { list, listNumbers, toSessionFolder } from '../background/process-files.ts';
import { isGone, ownName } from '../process/owner.ts';
import { CONFIGURATION, PARENTS } from './configuration.ts';
import { toFetched } from './fetched-folders.ts';
import { saveFetched } from './save-fetched.ts';
import { linkEntries, promoteEntries } from './shared-cache.ts';
import { removeFolder } from './remove-folder.ts';
import { type FoundCache, findFetchedCaches, linkUserCaches } from './user-caches.ts';

const DAY_MS = 86_400_000;
/** A session that is resumed later begins with an empty home. */
const UNUSED_MS = 7 * DAY_MS;
/** An owner in another pid namespace cannot be asked. */
const LONGEST_MS = 30 * DAY_MS;
const MAX_TRIES = 5;

export interface SessionHomeOptions {
  /** Folder of the workspace in Klaus's own cache. */
  root: string;
  /** Klaus's own state. */
  state: string;
  /** Absent: a home that nobody else gets, and that a later Klaus removes. */
  session?: string | undefined;
  /** Caches of the user that a new home begins with. Default: none. */
  userCaches?: readonly FoundCache[];
}

/** A mount of the home. */
export interface HomeMount {
  /** On this machine. */
  source: string;
  /** Where commands see it. */
  target: string;
  writable: boolean;
  /** Where commands see the source by an earlier mount, with the same rights. */
  shown?: string;
}

export interface SessionHome {
  /** Where commands see it: the same path for every session of a workspace, because caches hold absolute paths. */
  path: string;
  /** On this machine: a folder of this session alone. */
  source: string;
  /** In the order in which they are mounted. */
  mounts: readonly HomeMount[];
}

/**
 * Opens the home of a session. A new one is empty but for what the persistent caches hold. Homes of other sessions
 * that are not in use any more are removed.
 */
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
      if (!isFolder(join(folder, 'home'))) create(options, folder);
      break;
    } catch (error) {
      // Another Klaus removed it, or made it first.
      if (attempt === MAX_TRIES) throw error;
    }
  }
  const path = join(root, 'home');
  const source = join(folder, 'home');
  createMountPoints(root, source);
  return { path, source, mounts: [...toMounts(root, { source, path }), ...toOwnPlaces(folder, userCaches)] };
}

/** Removes the home of a session whose log is removed. */
export function removeSessionHome(state: string, session: string): void {
  for (const name of list(join(state, 'cache'))) {
    const homes = join(state, 'cache', name, 'homes');
    if (list(homes).length > 0) remove(join(homes, toKey(session)));
  }
}

/**
 * Lets later homes of a workspace begin with what is in the caches of a session's home.
 *
 * @param root Folder of the workspace in Klaus's own cache.
 * @param session One that ran nothing but downloads, and that has ended.
 * @returns How many entries were taken over.
 */
export function saveSessionCaches(root: string, session: string): number {
  const folder = join(root, 'homes', toKey(session));
  return saveFetched({ home: join(folder, 'home'), places: join(folder, PLACES) }, toFetched(root));
}

function toKey(session: string): string {
  return `session-${createHash('sha256').update(session).digest('hex').slice(0, 24)}`;
}

/** Marks a home as used by this process, before anything is looked for in it. */
function claim(folder: string, session: string | undefined): void {
  mkdirSync(join(folder, 'owners'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'owners', ownName()), '', { mode: 0o600 });
  if (session !== undefined) writeFileSync(join(folder, 'session'), session, { mode: 0o600 });
  const now = new Date();
  utimesSync(folder, now, now);
}

/** Complete before it has its name. */
function create({ root, userCaches = [] }: SessionHomeOptions, folder: string): void {
  const store = toStore(root);
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const others = list(dirname(folder)).map((name) => join(root, 'homes', name, 'home'));
  const made = join(folder, `new-${randomUUID()}`);
  mkdirSync(made, { mode: 0o700 });
  promoteEntries(store, others.filter(isFolder));
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

/** Beside the home: caches that commands find elsewhere. */
const PLACES = 'places';

/** Where commands see the kept entries of the caches, in the home. */
const SHOWN_STORE = '.klaus-cache';

/** Where commands see what was fetched for the workspace, in the home. */
const SHOWN_FETCHED = '.klaus-fetched';

/** Where commands see what stands in the place of configuration, in the home. */
const SHOWN_PLACEHOLDERS = '.klaus-placeholders';

function toStore(root: string): string {
  return join(root, 'entries');
}

/** Makes the places that are mounted. Nothing but an earlier `provide` and the mounts themselves made them. */
function createMountPoints(root: string, source: string): void {
  const placeholders = join(root, PLACEHOLDERS);
  mkdirSync(join(placeholders, EMPTY), { recursive: true, mode: 0o700 });
  for (const content of new Set(CONFIGURATION.map((place) => place.content)))
    if (content !== undefined) writeFileSync(join(placeholders, toPlaceholder(content)), content, { mode: 0o600 });
  mkdirSync(toFetched(root), { recursive: true, mode: 0o700 });
  for (const parent of [...PARENTS, SHOWN_STORE, SHOWN_FETCHED, SHOWN_PLACEHOLDERS]) ensure(join(source, parent), true);
  let file: string | undefined;
  for (const { path, isFolder: isOne } of CONFIGURATION) {
    ensure(join(source, path), isOne, file);
    if (!isOne) file ??= join(source, path);
  }
}

/** @param other A file that is only mounted over, as this one is: one more name of it is made faster than a file. */
function ensure(path: string, isOne: boolean, other?: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && (isOne ? found.isDirectory() : found.isFile())) return;
  if (found) rmSync(path, { recursive: true, force: true });
  if (isOne) mkdirSync(path, { mode: 0o700 });
  else if (other === undefined || !canLink(other, path)) writeFileSync(path, '', { mode: 0o600 });
}

/** False where the filesystem has no hard links, or not so many. */
function canLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Folder with what is mounted in the place of configuration. */
const PLACEHOLDERS = 'placeholders';
/** In it: an empty folder. */
const EMPTY = 'folder';

/** In it: a file with this content. */
function toPlaceholder(content: string): string {
  return content === '' ? 'file' : createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function toMounts(root: string, { source, path }: { source: string; path: string }): HomeMount[] {
  const placeholders = join(root, PLACEHOLDERS);
  return [
    { source, target: path, writable: true },
    ...PARENTS.map((parent) => {
      const target = join(path, parent);
      return { source: join(source, parent), target, writable: true, shown: target };
    }),
    { source: toStore(root), target: join(path, SHOWN_STORE), writable: false },
    { source: toFetched(root), target: join(path, SHOWN_FETCHED), writable: false },
    { source: placeholders, target: join(path, SHOWN_PLACEHOLDERS), writable: false },
    ...CONFIGURATION.map(({ content, ...place }) => {
      const name = content === undefined ? EMPTY : toPlaceholder(content);
      const shown = join(path, SHOWN_PLACEHOLDERS, name);
      return { source: join(placeholders, name), target: join(path, place.path), writable: false, shown };
    }),
  ];
}

/** Mounts of caches that commands find where the user has them. Their folders lie in none that commands can change. */
function toOwnPlaces(folder: string, caches: readonly FoundCache[]): HomeMount[] {
  const mounts = new Map<string, HomeMount>();
  for (const { path, place, folder: source, shown } of caches) {
    if (place === undefined || shown === undefined) continue;
    const own = join(folder, PLACES, path);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    mounts.set(place, { source: own, target: place, writable: true });
    if (isFolder(source)) mounts.set(shown, { source, target: shown, writable: false });
  }
  return [...mounts.values()];
}

/** Removes homes that nobody uses; what an earlier version of Klaus shared between sessions goes too. */
function sweep({ root, state }: SessionHomeOptions, own: string): void {
  remove(join(root, 'home'));
  for (const name of list(join(root, 'homes'))) {
    if (name === own) continue;
    const folder = join(root, 'homes', name);
    if (name.startsWith('gone-') || isUnused(folder, state)) remove(folder);
  }
}

function isUnused(folder: string, state: string): boolean {
  const usedAt = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (usedAt === undefined) return false;
  const age = Date.now() - usedAt;
  const session = readSession(folder);
  if (session !== undefined && hasProcesses(state, session)) return false;
  if (age > LONGEST_MS) return true;
  if (session === undefined ? age > DAY_MS : age <= UNUSED_MS) return session === undefined;
  const owners = list(join(folder, 'owners'));
  // Without any it is just being made.
  return owners.length === 0 ? age > DAY_MS : owners.every(isGone);
}

function readSession(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'session'), 'utf8');
  } catch {
    return undefined;
  }
}

function hasProcesses(state: string, session: string): boolean {
  const folder = toSessionFolder(state, session);
  return listNumbers(folder).some((number) => readStatus(join(folder, `p${number}`))?.state === 'running');
}

/** Out of its name first: nobody opens a home that is half removed. What cannot be removed is tried again later. */
function remove(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return;
  const gone = join(dirname(folder), `gone-${randomUUID()}`);
  try {
    renameSync(folder, gone);
    removeFolder(gone);
  } catch {
    // It belongs to somebody else.
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
