import { stripVTControlCharacters } from 'node:util';
import { readOtherCounts, readOtherFailures } from './other-summary.ts';
import { readPytestCounts, readPytestFailures, readUnittestCounts, readUnittestFailures } from './python-summary.ts';
import type { FailedTest, TestCounts } from './test-result.ts';

/** The result of a test run according to its output. Undefined counts are unknown. */
export interface TestSummary extends Record<keyof TestCounts, number | undefined> {
  failures: FailedTest[];
  /** Undefined for a runner that does not count them. */
  assertions: number | undefined;
}

const MAX_FAILURES = 30;
const MAX_MESSAGE_LINES = 8;

/** Parses the output of vitest, jest, Node's runner (both of its styles), pytest, unittest, TAP and the other runners. */
export function toTestSummary(output: string): TestSummary {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const specs = lines.findIndex((line) => line.startsWith('✖ failing tests:'));
  const failures = dedupe([
    ...collect(lines, HEADS.vitest),
    ...collect(lines, HEADS.jest),
    ...(specs < 0 ? [] : collect(lines.slice(specs + 1), HEADS.spec)),
    ...readTap(lines),
    ...readPytestFailures(lines),
    ...readUnittestFailures(lines),
    ...readOtherFailures(lines.join('\n')),
  ]);
  return { ...readCounts(lines), assertions: readAssertions(lines), failures: failures.slice(0, MAX_FAILURES) };
}

function readCounts(lines: readonly string[]): Omit<TestSummary, 'failures' | 'assertions'> {
  const counts: Partial<TestCounts> = {};
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
    // One script may run several runners: their counts are summed.
    // Without a number: vitest with nothing to run.
    if (/^(?:\s*Tests:?\s+(?:\d+ |no tests\s*$)|No test files found, exiting with code 0)/.test(line)) {
      add('failed', 0);
      add('passed', 0);
      for (const [, number, word] of line.matchAll(/(\d+) (failed|passed|skipped|todo)/g))
        add(word === 'failed' || word === 'passed' ? word : 'skipped', number!);
    }
    // `ℹ pass 3` and `# pass 3` of Node's runner.
    const [, word, number] = /^(?:ℹ|#) (pass|fail|skipped) (\d+)\s*$/.exec(line) ?? [];
    if (word !== undefined) add(word === 'pass' ? 'passed' : word === 'fail' ? 'failed' : 'skipped', number!);
  }
  const others = [...lines.map(readPytestCounts), readUnittestCounts(lines), readOtherCounts(lines.join('\n'))];
  for (const found of others) if (found) addAll(found);
  return { passed: counts.passed, failed: counts.failed, skipped: counts.skipped };
}

/** `OK (5 tests, 12 assertions)` and `Assertions: 12` of PHPUnit, `5 runs, 12 assertions` of Minitest, `12 expect() calls` of Bun. */
function readAssertions(lines: readonly string[]): number | undefined {
  const found = lines.flatMap((line) => {
    const [, php, ruby, bun] =
      /^(?:OK \(\d+ tests?, (\d+) assertions?\)|Tests: \d+, Assertions: (\d+)|\s*(\d+) expect\(\) calls)/.exec(line) ??
      [];
    const mini = /^\d+ (?:runs|tests), (\d+) assertions?,/.exec(line)?.[1];
    const number = php ?? ruby ?? bun ?? mini;
    return number === undefined ? [] : [Number(number)];
  });
  return found.length === 0 ? undefined : found.reduce((sum, number) => sum + number, 0);
}

/** The lines that begin a failure; its error follows. */
const HEADS = {
  /** ` FAIL  file > suite > test` */
  vitest: /^\s*FAIL\s+(\S.* > .*)$/,
  /** `  ● suite › test` */
  jest: /^\s{2}● (.+)$/,
  /** `✖ test (1.2ms)` in the list of failing tests */
  spec: /^\s*✖ (.+?)(?: \([\d.]+m?s\))?$/,
};

/** `not ok 1 - test`, then a block of YAML. */
function readTap(lines: readonly string[]): FailedTest[] {
  return lines.flatMap((line, i) => {
    const name = /^\s*not ok \d+ - (.+?)(?: # (?:TODO|SKIP).*)?$/.exec(line)?.[1];
    if (name === undefined || / # (?:TODO|SKIP)/.test(line)) return [];
    const rest = lines.slice(i + 1, i + 40);
    const end = rest.findIndex((other) => /^\s*\.\.\.\s*$/.test(other));
    const block = rest.slice(0, end < 0 ? 0 : end);
    // The error of a suite only reports that a test in it failed.
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

/** Each line with a name starts a failure. The lines up to its stack or the next failure are its message. */
function collect(lines: readonly string[], head: RegExp): FailedTest[] {
  const found: { name: string; lines: string[]; open: boolean }[] = [];
  for (const line of lines) {
    const name = head.exec(line)?.[1];
    if (name !== undefined) found.push({ name: name.trim(), lines: [], open: true });
    const last = found.at(-1);
    if (!last?.open || name !== undefined || line.trim() === '') continue;
    // Only repeated details follow a stack.
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

/** True if the output reports that no test ran, which proves nothing regardless of the exit code. */
export function isEmpty({ passed, failed, failures }: TestSummary): boolean {
  return passed === 0 && failed === 0 && failures.length === 0;
}

/** The summary as text; '' if the output has no counts. */
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
    const details = message.split('\n').filter(Boolean);
    lines.push(`FAILED ${name}`, ...details.map((line) => `  ${line}`));
  }
  return lines.join('\n');
}
