import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { isBelow, listEntries } from '@klaus/sdk/guard';
import { visitFolders } from '../project/visit-folders.ts';
import { toClaudeFolder } from '../install/settings-file.ts';

/** A file that Claude Code loads by its name: a skill, a command or an agent. */
export interface NamedFile {
  /** Absolute path. */
  path: string;
  text: string;
}

export interface SearchedPlace {
  /** Absolute real path of the project. */
  root: string;
  /** Absolute path. */
  cwd: string;
}

/** Folders of which such a file is below one. */
const FOLDERS = { skill: /\/(?:skills|commands)\//, agent: /\/agents\// } as const;
export type NamedKind = keyof typeof FOLDERS;

/** Folders below that of the configuration in which such files can be. */
const MAX_DEPTH = 8;
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1_024;
/** Conversations and caches hold no skills. */
const SKIPPED = /^(?:projects|todos|shell-snapshots|statsig|file-history|history|node_modules|worktrees|\.git)$/;

/**
 * The files that a name can mean: of the project, of folders between it and the present one, of the user and of plugins,
 * or if there are none, of other folders of the project. All of them, because Claude Code decides which one it takes.
 *
 * @param name `plugin:name` is one of that plugin, and `folder:name` one of that folder of the project, or of a folder of
 * skills or commands: never one of another place.
 */
export function findNamedFiles(kind: NamedKind, name: string, place: SearchedPlace): NamedFile[] {
  const words = name.replace(/^\//, '').split(':');
  const wanted = words.at(-1)!.toLowerCase();
  const prefix = words.slice(0, -1).flatMap((word) => word.split('/'));
  const find = (folders: readonly string[]): FoundText[] =>
    listAll(kind, folders, place).filter(
      ({ path, below }) => prefix.every((part) => below.includes(part)) && isNamed(path, wanted),
    );
  const near = find(listNear(place));
  // A file of another folder gets a prefix where there is one of its name.
  return read(prefix.length === 0 && near.length > 0 ? near : [...near, ...find(listFar(place))]);
}

/** Files of the kind in the project and the configuration of the user, without those of plugins. */
export function listNamedFiles(kind: NamedKind, place: SearchedPlace): NamedFile[] {
  return read(listAll(kind, [...listNear(place), ...listFar(place)], place)).filter(
    ({ path }) => !path.includes('/plugins/'),
  );
}

/** Folders of configurations that always apply. */
function listNear({ root, cwd }: SearchedPlace): string[] {
  const folders = new Set([root]);
  for (let at = cwd; isBelow(at, root) && at !== dirname(at); at = dirname(at)) folders.add(at);
  return [toClaudeFolder({ env: process.env }), ...[...folders].map((folder) => join(folder, '.claude'))];
}

/** Those of other folders of the project. */
function listFar({ root }: SearchedPlace): string[] {
  const folders: string[] = [];
  visitFolders(root, (folder, entries) => {
    if (entries.some(({ name }) => name === '.claude')) folders.push(join(folder, '.claude'));
  });
  return folders;
}

function listAll(kind: NamedKind, folders: readonly string[], { root }: SearchedPlace): FoundText[] {
  return folders.flatMap((folder) => listTexts(folder, kind, isBelow(folder, root) ? root : folder));
}

interface FoundText {
  path: string;
  /** The parts of the path below the project or the configuration of the user. */
  below: readonly string[];
}

/** @param base The folder to which `below` is relative. */
function listTexts(folder: string, kind: NamedKind, base: string): FoundText[] {
  const found: FoundText[] = [];
  const visit = (at: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length > MAX_FILES) return;
    for (const entry of listEntries(at)) {
      const path = join(at, entry.name);
      const isText = /\.md$/i.test(entry.name);
      // A link can lead to a file or to a folder.
      if ((entry.isFile() || entry.isSymbolicLink()) && isText) {
        if (FOLDERS[kind].test(path)) found.push({ path, below: path.slice(base.length + 1).split('/') });
      } else if ((entry.isDirectory() || entry.isSymbolicLink()) && !SKIPPED.test(entry.name)) visit(path, depth + 1);
    }
  };
  visit(folder, 0);
  return found;
}

function read(found: readonly FoundText[]): NamedFile[] {
  return [...new Set(found.map(({ path }) => path))].flatMap((path) => {
    const text = readText(path);
    return text === undefined ? [] : [{ path, text }];
  });
}

/** True if the file has the name, by its path or its front matter. */
function isNamed(path: string, wanted: string): boolean {
  const file = basename(path);
  const name = /^skill\.md$/i.test(file) ? basename(dirname(path)) : file.replace(/\.md$/i, '');
  if (name.toLowerCase() === wanted) return true;
  const head = /^\uFEFF?---[^\n]*\n([^]*?)\n---/.exec(readText(path) ?? '')?.[1] ?? '';
  const given = /^["']?name["']?[ \t]*:[ \t]*(.*?)[ \t]*\r?$/m.exec(head)?.[1];
  if (given === undefined) return false;
  const plain = /^(["']?)([^"'\\>|&*!{[\]}#]+)\1(?:\s+#.*)?$/.exec(given)?.[2]?.trim();
  // What the guard does not read as a name could be any.
  return plain === undefined || plain.toLowerCase() === wanted;
}

/** The text of a small file. */
export function readText(path: string): string | undefined {
  try {
    const state = statSync(path, { throwIfNoEntry: false });
    return state?.isFile() && state.size <= MAX_BYTES ? readForeignFileSync(path, { max: MAX_BYTES }).text : undefined;
  } catch {
    return undefined;
  }
}
