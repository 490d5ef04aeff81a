import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import { findInPath } from './find-node.ts';

const NAME = 'klendathu-cli';

export interface CliPlace {
  /** Default: the variable `KLENDATHU_CLI`. */
  cliPath?: string | undefined;
  projectRoot: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Path of the program of the CLI: the given one, the package `klendathu-cli` that this package or the project can
 * resolve, or one of the `PATH`.
 *
 * @throws KlendathuError `cli-missing`
 */
export function findCli({ cliPath, projectRoot, env }: CliPlace): string {
  const given = cliPath ?? (env['KLENDATHU_CLI'] || undefined);
  if (given !== undefined) {
    const path = resolve(given);
    if (existsSync(path)) return realpathSync(path);
    throw new KlendathuError('cli-missing', `The program ${path} does not exist.`, {
      hint: `Correct ${cliPath === undefined ? 'the variable KLENDATHU_CLI' : 'the option cliPath'}.`,
    });
  }
  for (const from of [import.meta.url, pathToFileURL(join(projectRoot, 'package.json')).href]) {
    try {
      return createRequire(from).resolve(NAME);
    } catch {
      // The next place.
    }
  }
  const [found] = findInPath(NAME, env);
  if (found !== undefined) return realpathSync(found);
  throw new KlendathuError('cli-missing', `The program ${NAME} was not found.`, {
    hint: `npm install --save-dev ${NAME}`,
  });
}
