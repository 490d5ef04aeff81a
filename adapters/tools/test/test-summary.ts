import { stripVTControlCharacters } from 'node:util';
import { readOtherCounts, readOtherFailures } from './other-summary.ts';
import { readPytestCounts, readPytestFailures, readUnittestCounts, readUnittestFailures } from './python-summary.ts';
import type { FailedTest, TestCounts } from './test-result.ts';

/** What a run of tests said, as far as its output tells. */
export interface TestSummary {
  passed: number | undefined;
  failed: number | undefined;
  skipped: number | undefined;
  failures: FailedTest[];
}

const MAX_FAILURES = 30;
const MAX_MESSAGE_LINES = 8;

/** Reads the output of vitest, jest, Node's runner (both of its styles), pytest, unittest and anything else that speaks TAP. */
export function toTestSummary(output: string): TestSummary {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const counts = readCounts(lines);
  const failures = dedupe([
    ...readVitest(lines),
    ...readJest(lines),
    ...readSpec(lines),
    ...readTap(lines),
    ...readPython(lines),
    ...readOtherFailures(lines.join('\n')),
  ]);
  return { ...counts, failures: failures.slice(0, MAX_FAILURES) };
}

function readCounts(lines: readonly string[]): Omit<TestSummary, 'failures'> {
  const counts: { passed?: number; failed?: number; skipped?: number } = {};
  const add = (word: 'passed' | 'failed' | 'skipped', number: string | number) => {
    counts[word] = (counts[word] ?? 0) + Number(number);
  };
  const addAll = (found: TestCounts) => {
    add('passed', found.passed);
    add('failed', found.failed);
    if (found.skipped > 0) add('skipped', found.skipped);
  };
  for (const line of lines) {
    // `Tests  1 failed | 3 passed (4)` of vitest, `Tests: 1 failed, 3 passed, 4 total` of jest.
    // One script may run several of them: what they say is added up.
    if (/^\s*Tests:?\s+\d+ /.test(line)) {
      add('failed', 0);
      add('passed', 0);
      for (const [, number, word] of line.matchAll(/(\d+) (failed|passed|skipped|todo)/g))
        add(word === 'failed' || word === 'passed' ? word : 'skipped', number!);
    }
    // Vitest with nothing to run.
    if (line.startsWith('No test files found, exiting with code 0') || /^\s*Tests:?\s+no tests\s*$/.test(line)) {
      add('failed', 0);
      add('passed', 0);
    }
    // `ℹ pass 3` and `# pass 3` of Node's runner.
    const [, word, number] = /^(?:ℹ|#) (pass|fail|skipped) (\d+)\s*$/.exec(line) ?? [];
    if (word !== undefined) add(word === 'pass' ? 'passed' : word === 'fail' ? 'failed' : 'skipped', number!);
    const pytest = readPytestCounts(line);
    if (pytest) addAll(pytest);
  }
  const unittest = readUnittestCounts(lines);
  if (unittest) addAll(unittest);
  const other = readOtherCounts(lines.join('\n'));
  if (other) addAll(other);
  return { passed: counts.passed, failed: counts.failed, skipped: counts.skipped };
}

function readPython(lines: readonly string[]): FailedTest[] {
  return [...readPytestFailures(lines), ...readUnittestFailures(lines)];
}

/** ` FAIL  file > suite > test`, then the error. */
function readVitest(lines: readonly string[]): FailedTest[] {
  return collect(lines, (line) => /^\s*FAIL\s+(\S.* > .*)$/.exec(line)?.[1]);
}

/** `  ● suite › test`, then the error. */
function readJest(lines: readonly string[]): FailedTest[] {
  return collect(lines, (line) => /^\s{2}● (.+)$/.exec(line)?.[1]);
}

/** `✖ test (1.2ms)` in the list of failing tests, then the error. */
function readSpec(lines: readonly string[]): FailedTest[] {
  const start = lines.findIndex((line) => line.startsWith('✖ failing tests:'));
  if (start < 0) return [];
  return collect(lines.slice(start + 1), (line) => /^\s*✖ (.+?)(?: \([\d.]+m?s\))?$/.exec(line)?.[1]);
}

/** `not ok 1 - test`, then a block of YAML. */
function readTap(lines: readonly string[]): FailedTest[] {
  return lines.flatMap((line, i) => {
    const name = /^\s*not ok \d+ - (.+?)(?: # (?:TODO|SKIP).*)?$/.exec(line)?.[1];
    if (name === undefined || / # (?:TODO|SKIP)/.test(line)) return [];
    const rest = lines.slice(i + 1, i + 40);
    const end = rest.findIndex((other) => /^\s*\.\.\.\s*$/.test(other));
    const block = rest.slice(0, end < 0 ? 0 : end);
    // The error of a suite only says that a test in it failed, which that test says better.
    if (block.some((other) => /failureType: 'subtestsFailed'/.test(other))) return [];
    return [{ name, message: readError(block) }];
  });
}

/** The `error` of a YAML block: one quoted line, or the deeper lines after `|-`. */
function readError(block: readonly string[]): string {
  const at = block.findIndex((line) => /^\s*error:/.test(line));
  if (at < 0) return '';
  const value = block[at]!.trim().slice('error:'.length).trim();
  if (!value.startsWith('|')) return value.replace(/^(['"])(.*)\1$/, '$2');
  const depth = block[at]!.search(/\S/);
  const rest = block.slice(at + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= depth);
  const lines = (end < 0 ? rest : rest.slice(0, end)).map((line) => line.trim()).filter(Boolean);
  return lines.slice(0, MAX_MESSAGE_LINES).join('\n');
}

/** Each line that `toName` knows begins a failure; what follows up to its stack or the next one is its message. */
function collect(lines: readonly string[], toName: (line: string) => string | undefined): FailedTest[] {
  const found: { name: string; lines: string[]; open: boolean }[] = [];
  for (const line of lines) {
    const name = toName(line);
    if (name !== undefined) found.push({ name: name.trim(), lines: [], open: true });
    const last = found.at(-1);
    if (!last?.open || name !== undefined || line.trim() === '') continue;
    // After a stack only details follow that say the same at length.
    if (/^\s*(?:at |❯ |⎯)/.test(line) || last.lines.length === MAX_MESSAGE_LINES) last.open = false;
    else last.lines.push(line.trimEnd());
  }
  return found.map((failure) => ({ name: failure.name, message: failure.lines.join('\n') }));
}

function dedupe(failures: readonly FailedTest[]): FailedTest[] {
  const byName = new Map<string, FailedTest>();
  for (const failure of failures) if (!byName.get(failure.name)?.message) byName.set(failure.name, failure);
  return [...byName.values()];
}

/** True when the output says that no test has run, which proves nothing whatever the exit code. */
export function isEmpty({ passed, failed, failures }: TestSummary): boolean {
  return passed === 0 && failed === 0 && failures.length === 0;
}

/** The summary in words; '' when the output told nothing. */
export function describeSummary(summary: TestSummary): string {
  const { passed, failed, skipped, failures } = summary;
  const counts = [
    passed === undefined ? '' : `${passed} passed`,
    failed === undefined ? '' : `${failed} failed`,
    skipped ? `${skipped} skipped` : '',
  ].filter((part) => part !== '');
  const lines = counts.length > 0 ? [`Tests: ${counts.join(', ')}.`] : [];
  if (isEmpty(summary)) lines.push('No test was run.');
  for (const { name, message } of failures) {
    lines.push(
      `FAILED ${name}`,
      ...message
        .split('\n')
        .filter(Boolean)
        .map((line) => `  ${line}`),
    );
  }
  return lines.join('\n');
}
