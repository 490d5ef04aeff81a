import { KlausError } from '@klaus/core/protocol';
import type { Folder, ResolvedPath } from '@klaus/core/agent';
import { readContent } from './content.ts';
import { openWorkspaceRoot } from './root.ts';
import { OutsideError, shorten, withEntry, type Root } from './path-entry.ts';

/** Opens a folder for reading, see `Engine.openFolder`. Later operations fail if it is replaced. */
export async function openFolder(path: string): Promise<Folder> {
  const root = openWorkspaceRoot(path, { allowAny: true });
  if (root.path !== path)
    throw new KlausError('workspace.missing', `The folder ${shorten(path)} was replaced by a symbolic link.`);
  return toFolder(root);
}

/** A folder that is read through descriptors, so that replaced directories never lead out of it. */
export function toFolder(root: Root): Folder {
  const resolve = (path: string): Promise<ResolvedPath> =>
    withEntry(root, path, ({ relative, absolute, links }) => ({
      relative,
      absolute,
      ...(links.length > 0 ? { links } : {}),
    }));
  return {
    root: root.path,
    resolve,
    async locate(path) {
      try {
        return { inside: await resolve(path) };
      } catch (error) {
        if (error instanceof OutsideError) return { outside: error.leadsTo };
        throw error;
      }
    },
    stat: (path) =>
      withEntry(root, path, ({ stat }) => {
        if (!stat) return undefined;
        const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
        const links = kind === 'file' && stat.nlink > 1n ? { links: Number(stat.nlink) } : {};
        return { kind, size: Number(stat.size), mode: Number(stat.mode & 0o7777n), ...links };
      }),
    read: (path, options = {}) =>
      withEntry(root, path, (entry) => {
        if (options.exact === true && entry.links.length > 0)
          throw new KlausError('tool.failed', `${shorten(path)} was replaced by a symbolic link.`);
        return readContent(entry, options);
      }),
  };
}
