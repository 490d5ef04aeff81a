import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findLockGaps, findVersionSplits, readLock } from './versions.ts';

export const ROOT = join(import.meta.dirname, '..');

export interface Check {
  name: string;
  /** A command line whose exit code is the result, or a function that returns errors. */
  run: readonly string[] | (() => string[]);
  /** The command that fixes a failure. */
  fix?: string;
}

const node = process.execPath;

/** All checks that do not run Klaus. */
export const CHECKS: readonly Check[] = [
  { name: 'types', run: ['tsc', '-b'] },
  { name: 'lint', run: ['oxlint'] },
  { name: 'format', run: ['oxfmt', '--check'], fix: 'npm run format' },
  { name: 'layers', run: [node, 'scripts/layers.ts'] },
  { name: 'words', run: [node, 'scripts/words.ts'] },
  { name: 'dead code and unlisted dependencies', run: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'one version of each dependency', run: () => findVersionSplits(ROOT) },
  { name: 'lock file', run: () => findLockGaps(readLock(ROOT)) },
  { name: 'generated pages', run: [node, 'scripts/docs.ts', '--check'], fix: 'npm run docs' },
];

/** Checks that run at the same time: most of them use one core. */
const AT_ONCE = 2;

async function runCheck({ run }: Check): Promise<{ ok: boolean; output: string }> {
  if (typeof run === 'function') {
    const errors = run();
    return { ok: errors.length === 0, output: errors.join('\n') };
  }
  const [program = '', ...words] = run;
  const path = program.includes('/') ? program : join(ROOT, 'node_modules/.bin', program);
  return await new Promise((resolve) => {
    execFile(path, words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const isStarted = stdout !== '' || stderr !== '' || error === null;
      resolve({ ok: error === null, output: `${stdout}${stderr}${isStarted ? '' : `${path}: ${error.message}`}` });
    });
  });
}

/** Runs checks; each counts as one test. Prints one line each at its end, and the complete output of those that fail. */
export async function runChecks(checks: readonly Check[]): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 };
  const waiting = [...checks];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const begun = performance.now();
      const { ok, output } = await runCheck(check);
      counts[ok ? 'passed' : 'failed'] += 1;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)`);
      if (!ok) console.log(`${output.trimEnd()}${check.fix ? `\n→ ${check.fix}` : ''}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

if (import.meta.main) {
  const { passed, failed } = await runChecks(CHECKS);
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
