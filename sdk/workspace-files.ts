import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretFiles, listFiles } from '@klaus/adapters/workspace';
import type { Engine, ResolvedPath, Workspace } from '@klaus/core/agent';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';

/** One row of a folder. */
export interface FolderEntry {
  name: string;
  /** Relative to the workspace, with forward slashes. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes; null for what is no file. */
  size: number | null;
  /** Unix milliseconds. */
  modifiedAt: number;
}

/** The beginning of a file. */
export interface FileView {
  /** Relative to the workspace; the real one where the path led through a symlink. */
  path: string;
  /** Bytes of the whole. */
  size: number;
  /** Null for a file that holds secrets by its name. */
  content: Uint8Array | null;
}

/** A workspace as a person looks at it. Nothing outside of it is reached, and no secret file is shown. */
export interface WorkspaceFiles {
  /** Absolute real path. */
  readonly root: string;
  /**
   * Folders first, then by name; at most 5,000.
   *
   * @throws KlausError `workspace.outside`, `usage` for what is no folder.
   */
  list(path: string): Promise<FolderEntry[]>;
  /** @throws KlausError `workspace.outside`, `usage` for what is no file. */
  read(path: string, options: { maxBytes: number }): Promise<FileView>;
  /** Paths that hold the characters, those whose name does first; what git ignores is left out. */
  find(characters: string, options: { limit: number }): Promise<string[]>;
  /** Takes what is known as a secret of this workspace, or of Klaus, out of a text. */
  redact(text: string): Promise<string>;
}

const MAX_ENTRIES = 5_000;

/** @throws KlausError `workspace.missing` when the folder is not there. */
export async function openWorkspaceFiles(engine: Engine, folder: string): Promise<WorkspaceFiles> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new KlausError('workspace.missing', `There is no folder ${folder}.`);
  }
  const workspace = await engine.openWorkspace(realpathSync(folder));
  const patterns = engine.settings.secretPatterns;
  const secretFiles = createSecretFiles(workspace.root, patterns);
  return {
    root: workspace.root,
    list: (path) => list(workspace, path),
    async read(path, { maxBytes }) {
      const { relative, absolute } = await resolvePath(workspace, path);
      const state = await workspace.stat(relative);
      if (state?.kind !== 'file') throw new KlausError('usage', `There is no file ${path}.`);
      const named = isSecretFile(relative, patterns) || isSecretFile(path, patterns);
      // A hard link to a secret file has any name; looking for those is worth it only where there can be one.
      const hidden = named || (isLinked(absolute) && (await secretFiles.find()).includes(absolute));
      const content = hidden
        ? null
        : await workspace.read(relative, { offset: 0, length: Math.min(maxBytes, state.size) });
      return { path: relative, size: state.size, content };
    },
    async find(characters, { limit }) {
      const paths = await listFiles(workspace.root, ['--glob=!.git']);
      return rankPaths(paths, characters.toLowerCase()).slice(0, limit);
    },
    async redact(text) {
      const redactor = engine.createRedactor('view');
      const secrets = engine.openSecrets(workspace.root, patterns, engine.settings.hiddenPatterns);
      redactor.learn(await secrets.values().catch(() => []));
      return redactor.redact(text);
    },
  };
}

function isLinked(absolute: string): boolean {
  return (lstatSync(absolute, { throwIfNoEntry: false })?.nlink ?? 1) > 1;
}

/** A path that no file system takes is a mistake of whoever asks, not of a tool. */
async function resolvePath(workspace: Workspace, path: string): Promise<ResolvedPath> {
  try {
    return await workspace.resolve(path);
  } catch (error) {
    if (!isKlausError(error) || error.code !== 'tool.failed') throw error;
    throw new KlausError('usage', error.message, { cause: error });
  }
}

async function list(workspace: Workspace, path: string): Promise<FolderEntry[]> {
  const { relative, absolute } = await resolvePath(workspace, path);
  const state = await workspace.stat(relative);
  if (state?.kind !== 'directory') throw new KlausError('usage', `There is no folder ${path}.`);
  const names = readdirSync(absolute).slice(0, MAX_ENTRIES);
  const entries = names.flatMap((name): FolderEntry[] => {
    const stat = lstatSync(join(absolute, name), { throwIfNoEntry: false });
    if (!stat) return [];
    const type = stat.isFile()
      ? 'file'
      : stat.isDirectory()
        ? 'directory'
        : stat.isSymbolicLink()
          ? 'symlink'
          : 'other';
    return [
      {
        name,
        path: relative === '' ? name : `${relative}/${name}`,
        type,
        size: type === 'file' ? stat.size : null,
        modifiedAt: stat.mtimeMs,
      },
    ];
  });
  const rank = ({ type }: FolderEntry): number => (type === 'directory' ? 0 : 1);
  return entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** Those whose name begins so, then whose name or path holds it, then those that hold its characters in order. */
function rankPaths(paths: readonly string[], wanted: string): string[] {
  const rank = (path: string): number => {
    const lower = path.toLowerCase();
    const name = lower.slice(lower.lastIndexOf('/') + 1);
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    if (lower.includes(wanted)) return 2;
    let at = -1;
    for (const character of wanted) if ((at = lower.indexOf(character, at + 1)) < 0) return 4;
    return 3;
  };
  return paths
    .map((path) => ({ path, rank: rank(path) }))
    .filter((row) => row.rank < 4)
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map((row) => row.path);
}
