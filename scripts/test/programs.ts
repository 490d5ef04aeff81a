import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
    // Each test has a state folder of its own; without a shared folder each program would compile all of its code.
    mkdirSync(join(dirname(files[name]), 'code'), { recursive: true, mode: 0o700 });
  }
  return files;
}
