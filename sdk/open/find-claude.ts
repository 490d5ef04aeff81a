import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';

/**
 * The program of Claude Code. Its link is kept, because an update changes the target.
 *
 * @param binary A name on the PATH of the user, or an absolute path.
 */
export function findClaude(binary: string, env: Readonly<Record<string, string | undefined>>): string {
  const folders = isAbsolute(binary) ? [''] : toHostEnvironment(env)['PATH']!.split(delimiter);
  const found = folders.map((folder) => join(folder, binary)).find(isExecutable);
  if (found !== undefined) return found;
  throw new KlausError('config', `Claude Code is not installed: there is no program \`${binary}\`.`, {
    hint: 'Install it (https://code.claude.com/docs/en/setup), or name its program with the setting `claudeBinary`.',
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
