import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** The first that exists counts, as in a folder of a workspace. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
/** Bytes that enter the history. */
const MAX_BYTES = 32 * 1_024;

/**
 * The user's own instructions, for every project.
 *
 * @param home `KLAUS_HOME`.
 */
export function readOwnInstructions(home: string): { path: string; text: string } | undefined {
  for (const name of NAMES) {
    const path = join(home, name);
    const text = readStart(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

function readStart(path: string): string | undefined {
  let file: number;
  try {
    // A named pipe would keep an ordinary open for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
