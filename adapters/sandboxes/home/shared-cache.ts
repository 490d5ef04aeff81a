import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isPlainFolder, listEntries } from '@klaus/adapters/system';
import { PACKAGE_CACHES, type PackageCache } from './package-caches.ts';

/** Bytes that one opening of a home reads at most. The next one continues. */
const MAX_READ = 256 * 1_048_576;
const MAX_ENTRY = 64 * 1_048_576;
const MAX_ENTRIES = 50_000;

/**
 * Copies entries from the homes of earlier sessions into the persistent caches, if their content has the hash in their
 * name. Entries are never replaced or removed, so that no session can change the entries of another one.
 *
 * @param store Folder on the host that only Klaus writes. Commands have written the homes.
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

/** Links the persistent entries into a new home: to `shown`, the read-only mount of the store in the sandbox. */
export function linkEntries(store: string, home: string, shown: string): void {
  for (const cache of PACKAGE_CACHES)
    for (const hash of listHashes(join(store, cache.tool), cache)) {
      const path = toPath(hash, cache);
      const link = join(home, cache.path, path);
      mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
      symlinkSync(join(shown, cache.tool, path), link);
    }
}

/** The path of an entry in its cache, or of the folder for the first parts of a hash. */
function toPath(hash: string, { parts }: Pick<PackageCache, 'parts'>): string {
  let at = 0;
  const names = [...parts, hash.length].map((length) => hash.slice(at, (at += length)));
  return names.filter(Boolean).join('/');
}

/** Hashes of the entries in a folder, from their paths. Symbolic links are left out. */
function listHashes(folder: string, { parts, hash }: PackageCache): string[] {
  const digits = hash === 'sha512' ? 128 : 64;
  let found: string[] = [''];
  for (const length of [...parts, digits - parts.reduce((sum, part) => sum + part, 0)]) {
    found = found.flatMap((start) =>
      listEntries(join(folder, toPath(start, { parts })))
        .filter((entry) => !entry.isSymbolicLink() && entry.name.length === length && /^[0-9a-f]+$/.test(entry.name))
        .map(({ name }) => start + name),
    );
  }
  return found;
}

/** True when no part of the path is a symbolic link, which could lead out of the home. */
function isPlainPath(home: string, path: string): boolean {
  let at = home;
  for (const part of path.split('/')) {
    at = join(at, part);
    if (!isPlainFolder(at)) return false;
  }
  return true;
}

/** The content of a regular file up to a size; undefined for anything else. */
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

/** Writes a temporary file first, because another Klaus process may read the cache at the same time. */
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
