import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';

/** The program of Claude Code on the PATH of the user. Its link is kept, because an update changes the target. */
export function findClaude(env: Readonly<Record<string, string | undefined>>): string {
  const folders = toHostEnvironment(env)['PATH']!.split(delimiter);
  const found = folders.map((folder) => join(folder, 'claude')).find(isExecutable);
  if (found !== undefined) return found;
  throw new KlausError('config', 'Claude Code is not installed: there is no program `claude` on the PATH.', {
    hint: 'Install it (https://code.claude.com/docs/en/setup), or name its program in `command` of a definition.',
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
