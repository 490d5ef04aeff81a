import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKS, ROOT, runChecks } from '../check.ts';
import { findChanges, readCommit } from './changed-paths.ts';
import { chooseSuites, type Choice, type Selection } from './choose-suites.ts';
import { BUILDS, findPrograms } from './programs.ts';
import { QUARANTINE } from './quarantine.ts';
import { toSlice } from './slice.ts';
import { findSupportUse } from './support-imports.ts';
import { readSuites, type Suite } from './suites.ts';
import { provideSystemPackages } from './system-packages.ts';
import { runVitest, VITEST } from './vitest.ts';

const HELP = `npm test [-- OPTIONS] [FILTER …]
  --changed    the checks, the unit tests, and the suites that cover what changed; nothing else
  --list       only prints the files that would run, with the reason for each
  --slice N    the part of the other suites that runs: a number from 0, \`all\` or \`none\`; default: by the commit
  --watch      run affected tests again after each change, until Ctrl-C; no checks
  --coverage   also report coverage: a table, and pages in coverage/
  --long       every test of the files that have tests with the tag \`long\`; no checks
  --all        everything (npm run test:all)
  FILTER       every test of the files whose path contains one of these; no checks

Without options: the checks, the unit tests, the suites of the security of the kernel, the suites that cover what changed, and
a slice of the others. What changed is compared with the commit that CI_BASE names, else with the last tag, else with the
parent commit. Without FILTER, --long or --all, tests with the tag \`long\` are left out.`;

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean' },
    list: { type: 'boolean' },
    slice: { type: 'string' },
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

const suites = readSuites(ROOT);

function choose(): Choice {
  const changes = findChanges(ROOT);
  if (changes === undefined) console.error('There is no commit to compare with: what changed is not known.');
  else console.error(`${changes.paths.length} paths changed since ${changes.base}`);
  const changed = changes?.paths ?? [];
  const slice = toSlice(values.slice ?? (values.changed ? 'none' : undefined), readCommit(ROOT));
  const selection: Selection = {
    changed,
    usesChanged: findSupportUse(ROOT, new Set(changed)),
    security: values.changed !== true,
    slice,
  };
  return chooseSuites(suites, selection);
}

/** How many suites run for each reason. */
function printChoice({ chosen }: Choice): void {
  const reasons = Object.entries(Object.groupBy([...chosen], ([, reason]) => reason));
  console.log(
    `${chosen.size} of ${suites.length} files: ${reasons.map(([name, all]) => `${all.length} ${name}`).join(', ')}`,
  );
}

/** What the run left out, and how to run it. */
function printLeft(left: readonly Suite[]): void {
  console.log('Left out: tests with the tag `long` (`npm run test:long`, about an hour).');
  if (left.length === 0) return;
  const folders = Object.groupBy(left, ({ file }) => file.split('/').slice(0, 2).join('/'));
  const counts = Object.entries(folders).map(([folder, all]) => `${folder} ${all!.length}`);
  console.log(`Left out: ${left.length} files, in ${counts.join(', ')}.`);
  console.log(
    '`npm test -- --slice all` runs these too, `npm test -- FOLDER` one folder, `npm run test:all` everything.',
  );
}

/** Files that have tests with the tag `long`. `--long` takes complete files: tests of a page continue from each other. */
function findLongFiles(): string[] {
  const hasLong = /'long'|\bsplitCases\(|@module-tag long/;
  return suites.map(({ file }) => file).filter((file) => hasLong.test(readFileSync(join(ROOT, file), 'utf8')));
}

if (values.list) {
  for (const [{ file }, reason] of choose().chosen) console.log(`${reason}\t${file}`);
  process.exit();
}

console.log(`Node ${process.version}`);
// Packages are installed during the checks.
const providing = provideSystemPackages();
// With a filter, only its tests are of interest.
const isPart = filters.length > 0 || values.long === true;
const choice = isPart || values.all ? undefined : choose();
if (choice) printChoice(choice);
// A few tests, and those that are measured, start the sources.
const needsPrograms = filters.length === 0 && !values.coverage;
const jobs = [...(isPart ? [] : CHECKS), ...(needsPrograms ? BUILDS : [])];
const checks = await runChecks(jobs);
const programs = needsPrograms ? findPrograms() : undefined;
const missing = await providing;
if (missing.length > 0) console.log(`FAILED system packages: ${missing.join(', ')} could not be installed`);
const files = new Set([...(choice?.chosen.keys() ?? [])].map(({ file }) => file));
const skipped = QUARANTINE.filter(({ file }) => files.delete(file));
for (const { file, reason } of skipped) console.log(`skipped: ${file}: ${reason}`);
const words = choice ? ['--tags-filter=!long', ...files] : values.long ? findLongFiles() : filters;
const tests = await runVitest([...words, ...(values.coverage ? ['--coverage'] : [])], programs);
if (choice) printLeft(choice.left);
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed + (missing.length > 0 ? 1 : 0);
// Set before the last line, which must stay the last one.
process.exitCode = failed > 0 || tests.passed === 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed, ${tests.skipped + skipped.length} skipped`);
