import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';
import { writeStateFile } from '../mcp/mcp-files.ts';

const fileSchema = z.record(z.string(), z.object({ folder: z.string(), since: z.number() }));

/** A folder of the file system at a path. */
interface Folder {
  /** Inode and time of creation. Devices have other numbers after a restart. */
  id: string;
  /** Unix milliseconds; 0 if the file system does not know. */
  createdAt: number;
}

/**
 * Since when the folder at a path is the present one: an approval for the project that was given before is of a folder that
 * was deleted or moved away. Stored in `folders.json` of the state folder.
 *
 * @returns Unix milliseconds; 0 if no other folder is known.
 */
export function readFolderSince(home: string, path: string): number {
  const folder = readFolder(path);
  if (!folder) return Infinity;
  const file = join(home, 'folders.json');
  const known = readKnown(file);
  const stored = known[path];
  if (stored?.folder === folder.id) return Math.max(stored.since, folder.createdAt);
  const since = stored === undefined ? 0 : Date.now();
  writeStateFile(file, { ...known, [path]: { folder: folder.id, since } }, true);
  return Math.max(since, folder.createdAt);
}

function readFolder(path: string): Folder | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  return { id: `${stat.ino}:${stat.birthtimeNs}`, createdAt: Number(stat.birthtimeMs) };
}

function readKnown(file: string): z.infer<typeof fileSchema> {
  const text = readFileText(file);
  if (text === undefined) return {};
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    // What is known about folders is lost: a folder is compared by its time of creation only.
    return {};
  }
}
