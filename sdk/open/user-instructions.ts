import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { orUndefined } from '../or-undefined.ts';

/** The first existing file is used, as in a folder of a workspace. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
/** Maximum bytes in the history. */
const MAX_BYTES = 32 * 1_024;

/** The user's instructions for all projects. @param home `KLAUS_HOME`. */
export function readOwnInstructions(home: string): { path: string; text: string } | undefined {
  for (const name of NAMES) {
    const path = join(home, name);
    const text = readStart(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

function readStart(path: string): string | undefined {
  // Without O_NONBLOCK, opening a named pipe would never return.
  const file = orUndefined(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (file === undefined) return undefined;
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
