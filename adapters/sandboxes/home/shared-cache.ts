import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PACKAGE_CACHES, type PackageCache } from './package-caches.ts';

/** What one opening of a home reads at most, in bytes: the rest is taken over by the next one. */
const MAX_READ = 256 * 1_048_576;
/** What one entry holds at most, in bytes. */
const MAX_ENTRY = 64 * 1_048_576;
/** What all entries of a cache hold at most, in number. */
const MAX_ENTRIES = 50_000;

/**
 * Takes from the homes of earlier sessions what a persistent cache may keep: entries whose content has the hash that
 * their name says. An entry is never replaced or removed, so no session changes what another one finds.
 *
 * @param store Folder on the host that only Klaus writes.
 * @param homes Homes of other sessions; what is in there was written by commands.
 */
export function promoteEntries(store: string, homes: readonly string[]): void {
  let left = MAX_READ;
  for (const cache of PACKAGE_CACHES) {
    const known = new Set(listHashes(join(store, cache.tool), cache));
    for (const home of homes) {
      const folder = join(home, cache.path);
      if (!isPlainPath(home, cache.path)) continue;
      for (const hash of listHashes(folder, cache)) {
        if (known.has(hash) || known.size >= MAX_ENTRIES) continue;
        const content = readEntry(join(folder, toPath(hash, cache)), Math.min(left, MAX_ENTRY));
        if (!content) continue;
        left -= content.length;
        if (createHash(cache.hash).update(content).digest('hex') !== hash) continue;
        writeEntry(join(store, cache.tool, toPath(hash, cache)), content);
        known.add(hash);
      }
    }
  }
}

/**
 * Shows the kept entries in a new home, each as a symbolic link into the read-only mount of the store.
 *
 * @param shown Where commands see the store.
 */
export function linkEntries(store: string, home: string, shown: string): void {
  for (const cache of PACKAGE_CACHES)
    for (const hash of listHashes(join(store, cache.tool), cache)) {
      const path = toPath(hash, cache);
      const link = join(home, cache.path, path);
      mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
      symlinkSync(join(shown, cache.tool, path), link);
    }
}

function toPath(hash: string, { parts }: PackageCache): string {
  const words: string[] = [];
  let at = 0;
  for (const length of parts) words.push(hash.slice(at, (at += length)));
  return join(...words, hash.slice(at));
}

/** Hashes of the entries in a folder, by their paths alone. Symbolic links are left out. */
function listHashes(folder: string, { parts, hash }: PackageCache): string[] {
  const digits = hash === 'sha512' ? 128 : 64;
  let found: string[] = [''];
  for (const length of [...parts, digits - parts.reduce((sum, part) => sum + part, 0)]) {
    found = found.flatMap((start) =>
      readNames(join(folder, toFolder(start, parts)))
        .filter(({ name, isLink }) => !isLink && name.length === length && /^[0-9a-f]+$/.test(name))
        .map(({ name }) => start + name),
    );
  }
  return found;
}

function toFolder(start: string, parts: readonly number[]): string {
  const words: string[] = [];
  let at = 0;
  for (const length of parts) if (at < start.length) words.push(start.slice(at, (at += length)));
  return words.join('/');
}

function readNames(folder: string): { name: string; isLink: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isLink: entry.isSymbolicLink(),
    }));
  } catch {
    return [];
  }
}

/** True when no part of the path is a symbolic link, which would lead to a folder that is no home. */
function isPlainPath(home: string, path: string): boolean {
  let at = home;
  for (const part of path.split('/')) {
    at = join(at, part);
    if (!lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return false;
  }
  return true;
}

/** The content of a plain file of at most so many bytes; undefined for anything else. */
function readEntry(path: string, most: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > most) return undefined;
    const content = Buffer.alloc(found.size);
    let filled = 0;
    while (filled < content.length) {
      const count = readSync(descriptor, content, filled, content.length - filled, filled);
      if (count === 0) return undefined;
      filled += count;
    }
    return content;
  } finally {
    closeSync(descriptor);
  }
}

/** Written under another name first: another Klaus may look at the same time. */
function writeEntry(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const made = `${path}.${randomUUID()}`;
  try {
    writeFileSync(made, content, { mode: 0o400, flag: 'wx' });
    renameSync(made, path);
  } finally {
    rmSync(made, { force: true });
  }
}
