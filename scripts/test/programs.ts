import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../check.ts';

/** Programs that the tests start as bundles: the script that builds each, and its file, by the variable that names it. */
const PROGRAMS = {
  KLAUS_TEST_PROGRAM: { script: 'scripts/build.ts', file: 'klaus.cjs' },
  KLENDATHU_TEST_PROGRAM: { script: 'scripts/klendathu/build.ts', file: 'klendathu-cli/dist/klendathu-cli.cjs' },
};

/** Builds the programs that the tests start. @returns Variables with their files; undefined if a build fails. */
export function buildPrograms(): Record<string, string> | undefined {
  const files: Record<string, string> = {};
  for (const [name, { script, file }] of Object.entries(PROGRAMS)) {
    // Below node_modules: the bundles import a package from there.
    const folder = join(ROOT, 'node_modules/.cache', name.toLowerCase());
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), folder], { encoding: 'utf8' });
    if (status !== 0) {
      console.log(`${stdout ?? ''}${stderr ?? ''}`.trimEnd());
      return undefined;
    }
    files[name] = join(folder, file);
  }
  return files;
}
