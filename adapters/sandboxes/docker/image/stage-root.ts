import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findLibraries, isNeeded, type ImageContents } from './contents.ts';

/** Links of a merged `/usr`, where the machine has them. */
const LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const EMPTY_FOLDERS = [
  'dev',
  'etc',
  'home',
  'proc',
  'root',
  'run',
  'sys',
  'tmp',
  'usr/bin',
  'usr/local/bin',
  'var/tmp',
];
const NPM = 'usr/local/lib/node_modules/npm';

/** Fills an empty folder with the files of an image. @returns Number of files and their bytes. */
export function stageRoot(root: string, contents: ImageContents): { files: number; bytes: number } {
  for (const name of EMPTY_FOLDERS) mkdirSync(join(root, name), { recursive: true });
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(root, name), 0o1777);
  for (const name of LINKS) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      mkdirSync(join(root, realpathSync(`/${name}`)), { recursive: true });
      symlinkSync(readlinkSync(`/${name}`), join(root, name));
    } else if (found) mkdirSync(join(root, name), { recursive: true });
  }
  for (const [target, source] of contents.files) copyFile(root, source, target);
  for (const folder of contents.folders) copyFolder(root, folder);
  if (contents.npm !== undefined) {
    copyTree(contents.npm, join(root, NPM));
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  }
  const programs = [...contents.files.values(), ...contents.folders.flatMap((folder) => [...listPrograms(folder)])];
  for (const library of findLibraries(programs)) copyFile(root, realpathSync(library), library);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  return finish(root);
}

/** A path in the root, through the links of the machine's own folders. */
function toTarget(root: string, path: string): string {
  const folder = dirname(path);
  return join(root, existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

function copyFile(root: string, source: string, path: string): void {
  const target = toTarget(root, path);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
  const { atime, mtime } = lstatSync(source);
  utimesSync(target, atime, mtime);
}

function copyFolder(root: string, folder: string): void {
  // Only the certificates are links to files elsewhere.
  const dereference = folder.startsWith('/etc/');
  copyTree(realpathSync(folder), join(root, folder), dereference);
}

function copyTree(source: string, target: string, dereference = false): void {
  mkdirSync(dirname(target), { recursive: true });
  const filter = (path: string) => isNeeded(path) && (!dereference || existsSync(path));
  cpSync(source, target, {
    recursive: true,
    verbatimSymlinks: !dereference,
    dereference,
    preserveTimestamps: true,
    filter,
  });
}

/** All entries below a folder. `readdirSync` with `recursive` also enters links to folders. */
function* walk(folder: string): Generator<{ path: string; stats: Stats }> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    yield { path, stats };
    if (stats.isDirectory()) yield* walk(path);
  }
}

/** Files of a folder that may need libraries. */
function* listPrograms(folder: string): Generator<string> {
  for (const { path, stats } of walk(folder)) {
    const isProgram = /\.so(?:\.|$)/.test(path) || (stats.mode & 0o111) !== 0;
    if (stats.isFile() && isProgram && isNeeded(path)) yield path;
  }
}

/** Gives everything that the copy created the same time, so that the same files make the same image. */
function finish(root: string): { files: number; bytes: number } {
  const written = new Set(['passwd', 'group'].map((name) => join(root, 'etc', name)));
  const counts = { files: 0, bytes: 0 };
  for (const { path, stats } of walk(root)) {
    if (stats.isFile()) {
      counts.files++;
      counts.bytes += stats.size;
    }
    if (!stats.isFile() || written.has(path)) lutimesSync(path, 0, 0);
  }
  utimesSync(root, 0, 0);
  return counts;
}
