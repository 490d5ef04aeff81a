import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { KlausError } from '@klaus/sdk';

/** The command with the absolute path of its program. @throws KlausError `usage` if there is no such program. */
export function findCommand(
  [program = '', ...rest]: readonly string[],
  { path = '', cwd }: { path?: string; cwd: string },
): string[] {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : path.split(delimiter).map((dir) => join(dir, program));
  const found = places.find(isProgram);
  if (found === undefined) {
    throw new KlausError('usage', `There is no program ${program}.`, {
      hint: 'Install it, or pass its path: klaus wrap -- /path/to/program',
    });
  }
  return [found, ...rest];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
