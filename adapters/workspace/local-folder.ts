import { KlausError } from '@klaus/core/protocol';
import type { FileState, Folder, LocatedPath, ReadOptions, ResolvedPath } from '@klaus/core/agent';
import { readContent } from './content.ts';
import { openWorkspaceRoot } from './root.ts';
import { OutsideError, shorten, withEntry, type Root } from './path-entry.ts';

/**
 * Opens a folder for reading. It is that very directory from then on.
 *
 * @param path Absolute real path, as it was when the folder was chosen.
 * @throws KlausError `workspace.missing` when it is gone, or a symlink has taken its entry or that of a folder above.
 */
export async function openFolder(path: string): Promise<Folder> {
  const root = openWorkspaceRoot(path, { allowAny: true });
  if (root.path !== path)
    throw new KlausError('workspace.missing', `The folder ${shorten(path)} was replaced by a symbolic link.`);
  return new LocalFolder(root);
}

/** A folder that is read through descriptors, so that no swap leads out of it. */
export class LocalFolder implements Folder {
  readonly root: string;
  readonly #root: Root;

  constructor(root: Root) {
    this.root = root.path;
    this.#root = root;
  }

  resolve(path: string): Promise<ResolvedPath> {
    return withEntry(this.#root, path, ({ relative, absolute, links }) => ({
      relative,
      absolute,
      ...(links.length > 0 ? { links } : {}),
    }));
  }

  async locate(path: string): Promise<LocatedPath> {
    try {
      return { inside: await this.resolve(path) };
    } catch (error) {
      if (error instanceof OutsideError) return { outside: error.leadsTo };
      throw error;
    }
  }

  stat(path: string): Promise<FileState | undefined> {
    return withEntry(this.#root, path, ({ stat }) => {
      if (!stat) return undefined;
      const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
      return { kind, size: Number(stat.size), mode: Number(stat.mode & 0o7777n) };
    });
  }

  read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return withEntry(this.#root, path, (entry) => {
      if (options.exact === true && entry.links.length > 0)
        throw new KlausError('tool.failed', `${shorten(path)} has become a symbolic link.`);
      return readContent(entry, options);
    });
  }
}
