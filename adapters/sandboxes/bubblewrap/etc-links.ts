import { readlinkSync, realpathSync, statSync, writeFileSync, type Dirent } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contains } from '../paths.ts';
import { isPrograms } from './toolchains/toolchain-kinds.ts';
import { listEntries } from '@klaus/adapters/system';
import { readJson } from '../read-text.ts';
import { words } from '../words.ts';

/** Folders that several toolchains share. */
const SHARED = words('/ /usr /usr/lib /usr/lib64 /usr/share /usr/libexec /usr/local /usr/local/lib /opt');
/** `conf/security/policy` of a JDK is the deepest known. */
const MAX_DEPTH = 4;
/** Entries of one toolchain. */
const MAX_ENTRIES = 4_000;
/** Targets of links that are not settings of a toolchain: choices of programs, and certificates with their keys. */
const NOT_SETTINGS = ['alternatives', 'ssl', 'pki'];

/** {@link findEtcLinks} with a cache file that is valid until programs are added or removed. A search takes 0.1 s. */
export function readEtcLinks(file: string, path: readonly string[]): string[] {
  const key = [...path, '/etc/alternatives'].map(toVersion).join('\n');
  const cached = readJson<{ key?: unknown; names?: string[] }>(file);
  if (cached?.key === key && cached.names) return cached.names;
  const names = findEtcLinks(path);
  try {
    writeFileSync(file, JSON.stringify({ key, names }), { mode: 0o600 });
  } catch {
    // Without a cache file the next call searches again.
  }
  return names;
}

/**
 * Folders and files of /etc to which toolchains of the system link, such as `/etc/java-17-openjdk` and `/etc/maven`.
 * They are found by following links from programs on PATH to their toolchain, and from there to /etc.
 *
 * @returns Sorted names of entries in /etc.
 */
function findEtcLinks(path: readonly string[]): string[] {
  const roots = new Set<string>();
  for (const folder of path) for (const entry of listEntries(folder)) addRoot(roots, folder, entry);
  const found = new Set<string>();
  for (const root of roots) addLinks(found, root);
  return [...found].sort();
}

function addRoot(roots: Set<string>, folder: string, entry: Dirent): void {
  if (!entry.isSymbolicLink()) return;
  try {
    const programs = dirname(realpathSync.native(join(folder, entry.name)));
    const root = isPrograms(programs) ? dirname(programs) : programs;
    if (!SHARED.includes(root) && !SHARED.includes(programs) && !contains(root, folder)) roots.add(root);
  } catch {
    // A dangling link.
  }
}

function addLinks(found: Set<string>, root: string): void {
  let left = MAX_ENTRIES;
  let folders = [root];
  for (let depth = 0; depth < MAX_DEPTH && left > 0; depth++) {
    const next: string[] = [];
    for (const folder of folders)
      for (const entry of listEntries(folder)) {
        if (left-- <= 0) break;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) next.push(path);
        else if (entry.isSymbolicLink()) addTarget(found, resolve(folder, readlinkSync(path)));
      }
    folders = next;
  }
}

function addTarget(found: Set<string>, target: string): void {
  if (!contains('/etc', target)) return;
  const name = target.split('/')[2];
  if (name !== undefined && !NOT_SETTINGS.includes(name)) found.add(name);
}

function toVersion(folder: string): string {
  return `${folder} ${statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 'none'}`;
}
