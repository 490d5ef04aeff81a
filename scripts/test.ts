import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, runChecks } from './check.ts';
import { COUNTS_FILE, type Counts } from './count-reporter.ts';
import { provideSystemPackages } from './system-packages.ts';

const VITEST = join(ROOT, 'node_modules/.bin/vitest');

/** Milliseconds that vitest gets to end after its last test. */
const END_MS = 60_000;

/** Programs that the tests start as bundles: the script that builds each, and its file, by the variable that names it. */
const PROGRAMS = {
  KLAUS_TEST_PROGRAM: { script: 'scripts/build.ts', file: 'klaus.cjs' },
  KLENDATHU_TEST_PROGRAM: { script: 'scripts/klendathu/build.ts', file: 'klendathu-cli/dist/klendathu-cli.cjs' },
};

/** Builds the programs that the tests start. @returns Variables with their files; undefined if a build fails. */
function buildPrograms(): Record<string, string> | undefined {
  const files: Record<string, string> = {};
  for (const [name, { script, file }] of Object.entries(PROGRAMS)) {
    // Below node_modules: the bundles import a package from there.
    const folder = join(ROOT, 'node_modules/.cache', name.toLowerCase());
    const { status } = spawnSync(process.execPath, [join(ROOT, script), folder], { stdio: 'inherit' });
    if (status !== 0) return undefined;
    files[name] = join(folder, file);
  }
  return files;
}

/**
 * Runs the tests. A vitest that does not end after its last test is killed: the native parts of its bundler can block the
 * end of the process.
 *
 * @param more Other arguments for vitest.
 * @param programs Variables with the files of the programs that the tests start. Default: the sources.
 */
async function runTests(more: readonly string[], programs: Record<string, string> = {}): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-test-'));
  const file = join(folder, 'counts.json');
  const words = ['run', '--reporter=default', `--reporter=${join(ROOT, 'scripts/count-reporter.ts')}`, ...more];
  const env = { ...process.env, ...programs, [COUNTS_FILE]: file };
  const vitest = spawn(VITEST, words, { cwd: ROOT, stdio: 'inherit', env });
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

const HELP = `npm test [-- OPTIONS] [FILTER …]
  --watch      run affected tests again after each change, until Ctrl-C; no checks
  --coverage   also report coverage: a table, and pages in coverage/
  --long       every test of the files that have tests with the tag \`long\`; no checks
  --all        every test, with and without the tag \`long\`
  FILTER       every test of the files whose path contains one of these; no checks

Without FILTER, --long or --all, tests with the tag \`long\` are left out.`;

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    watch: { type: 'boolean' },
    coverage: { type: 'boolean' },
    long: { type: 'boolean' },
    all: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
if (values.watch) {
  const { status } = spawnSync(VITEST, ['watch', ...filters], { cwd: ROOT, stdio: 'inherit' });
  process.exit(status ?? 1);
}

/**
 * @returns The arguments for vitest that choose the tests. `--long` takes complete files: tests of a page or a server continue
 *   where the test before them ended.
 */
function chooseTests(): string[] {
  if (filters.length > 0) return filters;
  if (values.long) return findLongFiles();
  return values.all ? [] : ['--tags-filter=!long'];
}

/** @returns The test files, relative to the root, that have tests with the tag `long`. */
function findLongFiles(): string[] {
  const files = globSync('{core,adapters,sdk,apps,scripts,test}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules'),
  });
  const hasLong = /'long'|\bsplitCases\(|@module-tag long/;
  return files.filter((file) => hasLong.test(readFileSync(join(ROOT, file), 'utf8')));
}

console.log(`Node ${process.version}`);
const missing = await provideSystemPackages();
if (missing.length > 0) console.log(`FAILED system packages: ${missing.join(', ')} could not be installed`);
// With a filter, only its tests are of interest.
const checks = filters.length > 0 || values.long ? { passed: 0, failed: 0 } : runChecks();
// A few tests, and those that are measured, start the sources.
const needsProgram = filters.length === 0 && !values.coverage;
const programs = needsProgram ? buildPrograms() : undefined;
if (needsProgram && programs === undefined) console.log('FAILED build of the programs');
const tests = await runTests([...chooseTests(), ...(values.coverage ? ['--coverage'] : [])], programs);
const passed = checks.passed + tests.passed;
const broken = [missing.length > 0, needsProgram && programs === undefined].filter(Boolean).length;
const failed = checks.failed + tests.failed + broken;
// Set before the last line, which must stay the last one.
process.exitCode = failed > 0 || tests.passed === 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed, ${tests.skipped} skipped`);
