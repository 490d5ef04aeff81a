import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError } from '@klaus/core/protocol';

/** By these files a repository has data of another folder. */
const INDIRECTIONS = ['commondir', 'objects/info/alternates', 'objects/info/http-alternates'];
/** Most refs and folders of refs that are looked at. */
const MAX_REFS = 100_000;

/**
 * Refuses a repository that takes refs or objects from elsewhere: a client that may clone it would read a folder that
 * the client may not read.
 *
 * @param path Absolute, of the repository or of its working tree.
 * @throws KlausError `usage`.
 */
export function checkPlainRepository(path: string): void {
  const inner = lstatSync(join(path, '.git'), { throwIfNoEntry: false });
  if (inner && !inner.isDirectory()) throw toRefusal('.git');
  const folder = inner ? join(path, '.git') : path;
  for (const name of INDIRECTIONS) if (lstatSync(join(folder, name), { throwIfNoEntry: false })) throw toRefusal(name);
  for (const name of ['HEAD', 'config', 'packed-refs', 'shallow', 'objects', 'objects/info', 'objects/pack', 'refs'])
    if (lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink()) throw toRefusal(name);
  const refs = join(folder, 'refs');
  if (!lstatSync(refs, { throwIfNoEntry: false })) return;
  const entries = readdirSync(refs, { recursive: true, withFileTypes: true });
  if (entries.length > MAX_REFS) throw toRefusal('refs');
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd) throw toRefusal(join('refs', odd.name));
}

function toRefusal(name: string): KlausError {
  return new KlausError('usage', `The repository has data of another folder: \`${name}\`.`, {
    hint: 'Clone the repository that has this data, or let an administrator clone it.',
  });
}
