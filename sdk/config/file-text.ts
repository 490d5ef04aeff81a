import { lstatSync } from 'node:fs';
import { readForeignFileSync } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { orUndefined } from '../or-undefined.ts';

/** Largest size of a settings file in bytes. */
const MOST_BYTES = 1_048_576;

/**
 * The text of a settings file, or undefined when it does not exist.
 *
 * @throws KlausError `config` when it exists and cannot be read, or is a broken link, because unread settings may restrict something.
 */
export function readFileText(path: string): string | undefined {
  try {
    const { text } = readForeignFileSync(path, { max: MOST_BYTES });
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      if (!orUndefined(() => lstatSync(path))?.isSymbolicLink()) return undefined;
      throw new KlausError('config', `${path} is a broken link`, {
        hint: 'Fix or remove it.',
        cause: error,
      });
    }
    if (code === 'EINVAL') throw new KlausError('config', `${path} is not a regular file`);
    if (code === 'EFBIG') throw new KlausError('config', `${path} is larger than ${MOST_BYTES} bytes`);
    throw new KlausError('config', `${path} cannot be read: ${code}`, {
      hint: 'Give your user read permission, or set `KLAUS_HOME` to a folder that you own.',
      cause: error,
    });
  }
}
