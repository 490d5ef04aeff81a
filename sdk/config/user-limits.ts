import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { KlausError, type Limits } from '@klaus/core/protocol';

/**
 * Writes limits into the user's own configuration, `config.yaml` in the state folder. All other content, comments
 * included, does not change.
 *
 * @param home `KLAUS_HOME`.
 * @returns The path of the file.
 * @throws KlausError `config` for a file that is no YAML mapping.
 */
export function writeUserLimits(home: string, limits: Partial<Limits>): string {
  const path = join(home, 'config.yaml');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '# Limits of a session; 0 means unlimited.\n';
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) {
    throw new KlausError('config', `${path} is not a YAML mapping.`, { hint: 'Fix or remove it.' });
  }
  for (const [name, value] of Object.entries(limits)) {
    // The key may be written with a dot.
    if (document.has(`limits.${name}`)) document.delete(`limits.${name}`);
    document.setIn(['limits', name], value);
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, document.toString(), { mode: 0o600 });
  renameSync(draft, path);
  return path;
}
