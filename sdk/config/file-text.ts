import { readFileSync, statSync } from 'node:fs';
import { isKlausError, KlausError } from '@klaus/core/protocol';

/** Bytes that a file of settings may have. */
const MOST_BYTES = 1_048_576;

/**
 * The text of a file of settings, or undefined when there is none.
 *
 * @throws KlausError `config` when it is there and cannot be read: settings that are not seen may be the ones that hold something back.
 */
export function readFileText(path: string): string | undefined {
  try {
    // A pipe or a device would never end.
    const found = statSync(path);
    if (!found.isFile()) throw new KlausError('config', `${path} is not a file`);
    if (found.size > MOST_BYTES) throw new KlausError('config', `${path} is longer than ${MOST_BYTES} bytes`);
    const text = readFileSync(path, 'utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (isKlausError(error)) throw error;
    throw new KlausError('config', `${path} cannot be read: ${code}`, {
      hint: 'Give your user the right to read it, or set KLAUS_HOME to a folder that you own.',
      cause: error,
    });
  }
}
