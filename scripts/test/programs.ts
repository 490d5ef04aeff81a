import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Check, ROOT } from '../check.ts';

/** Programs that the tests start as bundles: the script that builds each, and its file, by the variable that names it. */
const PROGRAMS = {
  KLAUS_TEST_PROGRAM: { script: 'scripts/build.ts', file: 'klaus.cjs' },
  KLENDATHU_TEST_PROGRAM: { script: 'scripts/klendathu/build.ts', file: 'klendathu-cli/dist/klendathu-cli.cjs' },
};

/** Below node_modules: the bundles import a package from there. */
const toFolder = (variable: string): string => join(ROOT, 'node_modules/.cache', variable.toLowerCase());

/** Builds the programs that the tests start. */
export const BUILDS: readonly Check[] = Object.entries(PROGRAMS).map(([variable, { script }]) => ({
  name: `build of ${script}`,
  run: [process.execPath, join(ROOT, script), toFolder(variable)],
}));

/** Variables with the files of the programs, after they are built. */
export function findPrograms(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [variable, { file }] of Object.entries(PROGRAMS)) {
    files[variable] = join(toFolder(variable), file);
    // Each test has a state folder of its own; without a shared folder each program would compile all of its code.
    mkdirSync(join(dirname(files[variable]), 'code'), { recursive: true, mode: 0o700 });
  }
  return files;
}
