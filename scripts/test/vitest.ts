import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check.ts';
import { COUNTS_FILE, type Counts } from './count-reporter.ts';

/** The program. */
export const VITEST = join(ROOT, 'node_modules/.bin/vitest');

/** Milliseconds that vitest gets to end after its last test. */
const END_MS = 60_000;

/**
 * Runs tests. A vitest that does not end after its last test is killed: the native parts of its bundler can block the
 * end of the process.
 *
 * @param words Arguments for vitest.
 * @param programs Variables with the files of the programs that the tests start. Default: the sources.
 */
export async function runVitest(words: readonly string[], programs: Record<string, string> = {}): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-test-'));
  const file = join(folder, 'counts.json');
  const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`];
  const env = { ...process.env, ...programs, [COUNTS_FILE]: file };
  const vitest = spawn(VITEST, ['run', ...reporters, ...words], { cwd: ROOT, stdio: 'inherit', env });
  const ended = once(vitest, 'exit');
  let endsAt: number | undefined;
  const watch = setInterval(() => {
    if (!existsSync(file)) return;
    endsAt ??= Date.now() + END_MS;
    if (Date.now() < endsAt || !vitest.kill('SIGKILL')) return;
    console.log(`All tests have ended, but vitest did not end in ${END_MS / 1_000} s, so it was killed.`);
  }, 1_000);
  try {
    const [status] = (await ended) as [number | null];
    if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
    const counts = JSON.parse(readFileSync(file, 'utf8')) as Counts;
    // Such as a coverage report that could not be written.
    if (status !== null && status !== 0 && counts.failed === 0) counts.failed = 1;
    return counts;
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
}
