import { readdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Workspace } from '@klaus/core/agent';
import { FORMATTERS, type FormatterKind } from './formatters.ts';

/** Bytes of a configuration file that is read. */
const MAX_CONFIG = 1_024 * 1_024;

export interface FoundFormatter {
  readonly kind: FormatterKind;
  /** Relative path of the folder that configures it; '' is the workspace. */
  readonly folder: string;
  /** Relative path of the folder in which it starts. */
  readonly start: string;
  /** Relative paths of the folders in which its program can be, the nearest first. */
  readonly programs: readonly string[];
  /** The text of the file that configures it; '' if only its name counts. */
  readonly config: string;
}

/**
 * The formatter that the project configures for a file: in its folder or in the nearest one above it, up to the workspace.
 * Starts nothing.
 *
 * @param path Relative to the workspace, without symlinks.
 */
export async function findFormatter(workspace: Workspace, path: string): Promise<FoundFormatter | undefined> {
  const ending = extname(path);
  const kinds = FORMATTERS.filter(({ endings }) => endings.includes(ending));
  if (kinds.length === 0) return undefined;
  const folders = await Promise.all(listAbove(path).map((folder) => openFolder(workspace, folder)));
  const last = kinds.filter(({ isLast }) => isLast);
  for (const group of [kinds.filter(({ isLast }) => !isLast), ...last.map((kind) => [kind])]) {
    for (const folder of folders) {
      for (const kind of group) {
        const config = await findConfig(kind, folder);
        if (config === undefined) continue;
        const programs = folders.flatMap((each) => kind.folders.map((name) => join(each.path, name)));
        const start = kind.startsAtFile ? folders.find(({ names }) => names.size > 0)! : folder;
        return { kind, folder: folder.path, start: start.path, programs, config };
      }
    }
  }
  return undefined;
}

interface OpenFolder {
  path: string;
  /** Empty if the folder does not exist. */
  names: ReadonlySet<string>;
  read(name: string): Promise<string>;
}

/** The folders of a path, from its own to the workspace, which is ''. */
function listAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder);
  return [...folders, ''];
}

async function openFolder(workspace: Workspace, path: string): Promise<OpenFolder> {
  const names = new Set(await readdir(join(workspace.root, path)).catch(() => []));
  const texts = new Map<string, Promise<string>>();
  const read = async (name: string): Promise<string> => {
    const bytes = await workspace.read(join(path, name), { maxBytes: MAX_CONFIG });
    return new TextDecoder().decode(bytes);
  };
  return {
    path,
    names,
    read(name) {
      // A file that cannot be read configures nothing.
      const text = texts.get(name) ?? read(name).catch(() => '');
      texts.set(name, text);
      return text;
    },
  };
}

async function findConfig({ configured }: FormatterKind, folder: OpenFolder): Promise<string | undefined> {
  for (const each of configured) {
    if (typeof each === 'string') {
      if (folder.names.has(each)) return '';
    } else if (folder.names.has(each.file)) {
      const text = await folder.read(each.file);
      if (each.has(text)) return text;
    }
  }
  return undefined;
}
