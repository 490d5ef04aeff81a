import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isGone, ownName } from '../process/owner.ts';
import { indexPack, isValidObject } from './verify-objects.ts';
import { isPlainFolder, isRegularFile, listEntries, readForeignFileSync } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

/**
 * A git object store to which a command can add objects, but in which it cannot change any. In the sandbox an empty
 * store, the intake, is mounted at its path, and the store itself is mounted read-only as the alternate of the intake.
 * When the command has ended, new objects are moved into the store. The intake lies in the store and is one of its
 * alternates, so that git on the host sees new objects immediately, also those of a killed command.
 *
 * @source https://git-scm.com/docs/gitrepository-layout, objects/info/alternates
 */
export interface ObjectStore {
  /** The folder `objects` of a git folder: absolute, without symlinks. */
  store: string;
  /** The folder that is mounted at its path in the sandbox. */
  intake: string;
  /** Content of `info/alternates` in the intake. */
  alternates: string;
}

/** Folder of the intake on which the store is mounted. It is empty on the host. */
export const BASE = 'base';

const UNTOUCHED = [`${BASE} folder`, 'info folder', 'info/alternates file', 'pack folder'].join();

const PREFIX = 'klaus-';
/** Marks the intake of a command that outlives its Klaus process: it is closed only when that command ends. */
const SURVIVES = 'background-';
const MAX_NAMED = 5;
const LOCK_TRIES = 50;
const LOCK_PAUSE_MS = 10;
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE_OBJECT = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
/** Files that are moved before the index: git uses a pack as soon as its index exists. */
const PACK_PARTS = ['.pack', '.promisor', '.keep'];
const PACK = /^pack-(?<id>[0-9a-f]{40}(?:[0-9a-f]{24})?)\.pack$/;

/**
 * Opens an intake for the object store of a git folder, and closes the intakes of killed processes.
 *
 * @returns Undefined if there is no object store, or if it is not writable and so cannot be damaged.
 */
export function openObjectStore(gitFolder: string, options: { survives: boolean }): ObjectStore | undefined {
  const store = toStore(gitFolder);
  if (store === undefined) return undefined;
  sweep(store);
  const name = `${PREFIX}${options.survives ? SURVIVES : ''}${ownName()}-${randomBytes(4).toString('hex')}`;
  const intake = join(store, name);
  try {
    mkdirSync(join(intake, 'info'), { recursive: true });
    for (const folder of ['pack', BASE]) mkdirSync(join(intake, folder));
    // Relative paths have to be resolved, because the intake lies one folder deeper.
    const further = readAlternates(store).filter((line) => !line.startsWith(PREFIX) && !isAbsolute(line));
    const alternates = `${[BASE, ...further.map((line) => resolve(store, line))].join('\n')}\n`;
    writeFileSync(join(intake, 'info', 'alternates'), alternates);
    giveToOwner(store, intake);
    changeAlternates(store, (lines) => [...lines, name]);
    return { store, intake, alternates };
  } catch {
    rmSync(intake, { recursive: true, force: true });
    return undefined;
  }
}

/**
 * Moves new objects into the store: loose objects whose content has the hash in their name, and packs with a rebuilt
 * index. Existing objects are never replaced. Idempotent.
 *
 * @returns The failures, as sentences.
 */
export function closeObjectStore({ store, intake }: Pick<ObjectStore, 'store' | 'intake'>): string[] {
  if (!isPlainFolder(store)) return [];
  try {
    const refused = isPlainFolder(intake) ? moveObjects(store, intake) : [];
    changeAlternates(store, (lines) => lines.filter((line) => line !== intake.slice(store.length + 1)));
    rmSync(intake, { recursive: true, force: true });
    if (refused.length === 0) return [];
    return [
      `Git objects whose content does not match their name were not stored: ${refused.slice(0, MAX_NAMED).join(', ')}`,
    ];
  } catch (error) {
    return [`New git objects could not be moved and stay in ${intake}, where git finds them: ${String(error)}`];
  }
}

/** True for an intake without new objects, which the next command can reuse. */
export function isEmptyIntake({ intake, alternates }: ObjectStore): boolean {
  try {
    const entries = ['', 'info', 'pack', BASE].flatMap((folder) =>
      readdirSync(join(intake, folder), { withFileTypes: true }).map(
        (entry) => `${join(folder, entry.name)} ${entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'}`,
      ),
    );
    if (entries.toSorted().join() !== UNTOUCHED) return false;
    return readText(join(intake, 'info', 'alternates')) === alternates;
  } catch {
    return false;
  }
}

/** Commands in containers run as the owner of the workspace, also when root runs Klaus. */
function giveToOwner(store: string, intake: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(store);
  if (uid === 0) return;
  for (const name of ['', 'info', 'pack', 'info/alternates']) chownSync(join(intake, name), uid, gid);
}

/** The folder `objects` of a git folder; undefined if there is none. */
export function toStore(gitFolder: string): string | undefined {
  try {
    const store = realpathSync.native(join(gitFolder, 'objects'));
    return statSync(store).isDirectory() ? store : undefined;
  } catch {
    return undefined;
  }
}

/** Closes the intakes of Klaus processes that have ended. */
function sweep(store: string): void {
  for (const line of readAlternates(store)) {
    if (!line.startsWith(PREFIX) || line.startsWith(PREFIX + SURVIVES) || line.includes('/')) continue;
    const owner = line.slice(PREFIX.length, line.lastIndexOf('-'));
    if (isGone(owner)) closeObjectStore({ store, intake: join(store, line) });
  }
}

/** @returns Names of objects that failed the verification. */
function moveObjects(store: string, intake: string): string[] {
  const refused: string[] = [];
  for (const { name } of listEntries(intake)) {
    if (!LOOSE_FOLDER.test(name) || !isPlainFolder(join(intake, name))) continue;
    const target = join(store, name);
    if (!existsSync(target)) mkdirSync(target);
    for (const object of listEntries(join(intake, name))) {
      if (!object.isFile() || !LOOSE_OBJECT.test(object.name) || existsSync(join(target, object.name))) continue;
      const path = join(intake, name, object.name);
      if (isValidObject(path, name + object.name)) moveFile(path, join(target, object.name));
      else refused.push(name + object.name);
    }
  }
  const packs = isPlainFolder(join(intake, 'pack'))
    ? listEntries(join(intake, 'pack')).filter((entry) => entry.isFile())
    : [];
  const names = new Set(packs.map(({ name }) => name));
  for (const name of names) {
    const { id } = PACK.exec(name)?.groups ?? {};
    if (id === undefined || existsSync(join(store, 'pack', name))) continue;
    if (!movePack(store, intake, { id, names })) refused.push(name);
  }
  return refused;
}

function movePack(store: string, intake: string, { id, names }: { id: string; names: ReadonlySet<string> }): boolean {
  const index = join(intake, 'pack', `checked-${id}.idx`);
  if (!indexPack(join(intake, 'pack', `pack-${id}.pack`), { id, index })) return false;
  if (!existsSync(join(store, 'pack'))) mkdirSync(join(store, 'pack'));
  for (const part of PACK_PARTS.map((end) => `pack-${id}${end}`))
    if (names.has(part)) moveFile(join(intake, 'pack', part), join(store, 'pack', part));
  moveFile(index, join(store, 'pack', `pack-${id}.idx`));
  return true;
}

/** Moves a file unless the target exists. */
function moveFile(from: string, to: string): void {
  try {
    linkSync(from, to);
    unlinkSync(from);
  } catch (error) {
    if (existsSync(to)) return;
    // The filesystem has no hard links.
    renameSync(from, to);
    if (!existsSync(to)) throw error;
  }
}

function readAlternates(store: string): string[] {
  const text = readText(join(store, 'info', 'alternates')) ?? '';
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Changes the file under git's lock. */
function changeAlternates(store: string, change: (lines: string[]) => string[]): void {
  const file = join(store, 'info', 'alternates');
  const lock = `${file}.lock`;
  mkdirSync(join(store, 'info'), { recursive: true });
  const descriptor = takeLock(lock);
  try {
    const lines = change(isRegularFile(file) ? readForeignFileSync(file).text.split('\n').filter(Boolean) : []);
    if (lines.length === 0) rmSync(file, { force: true });
    else {
      writeSync(descriptor, `${lines.join('\n')}\n`);
      renameSync(lock, file);
    }
  } finally {
    closeSync(descriptor);
    rmSync(lock, { force: true });
  }
}

/** @throws The system's error when the lock stays taken. Users have to remove the lock of a killed process. */
function takeLock(lock: string): number {
  for (let attempt = 1; ; attempt++) {
    try {
      return openSync(lock, 'wx');
    } catch (error) {
      if (attempt === LOCK_TRIES || (error as { code?: unknown }).code !== 'EEXIST') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
    }
  }
}
