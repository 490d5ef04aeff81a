import type { FailedTest, TestCounts } from './test-result.ts';

const PYTEST_COUNTS = /^=*\s*(?:no tests ran|((?:\d+ [a-z]+(?:, )?)+)) in [\d.]+s/;
const PYTEST_WORDS: Readonly<Record<string, keyof TestCounts>> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
};

/** Parses the last line of pytest: `1 failed, 2 passed in 0.12s`, `no tests ran in 0.01s`. */
export function readPytestCounts(line: string): TestCounts | undefined {
  const found = PYTEST_COUNTS.exec(line);
  if (!found) return undefined;
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, number, word] of (found[1] ?? '').matchAll(/(\d+) ([a-z]+)/g)) {
    const name = PYTEST_WORDS[word!];
    if (name) counts[name] += Number(number);
  }
  return counts;
}

/** Parses `FAILED tests/test_a.py::test_x - assert 1 == 2` of pytest's short summary. */
export function readPytestFailures(lines: readonly string[]): FailedTest[] {
  const start = lines.findLastIndex((line) => /^=+ short test summary info =+$/.test(line));
  if (start < 0) return [];
  return lines.slice(start + 1).flatMap((line) => {
    const [, name, message] = /^(?:FAILED|ERROR) ([^[]+?(?:\[.*?\])?)(?: - (.*))?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, message: message ?? findCollectionError(lines, name) }];
  });
}

/** The summary has only the name of a file that could not be loaded. The error is in another block. */
function findCollectionError(lines: readonly string[], name: string): string {
  const start = lines.findIndex((line) => line.startsWith('_') && line.includes(` ERROR collecting ${name} `));
  if (start < 0) return '';
  const error = lines.slice(start, start + 200).find((line) => line.startsWith('E  '));
  return error?.slice(1).trim() ?? '';
}

/** Parses the end of unittest's output: `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`. */
export function readUnittestCounts(lines: readonly string[]): TestCounts | undefined {
  const at = lines.findLastIndex((line) => /^Ran \d+ tests? in /.test(line));
  if (at < 0) return undefined;
  const ran = Number(/\d+/.exec(lines[at]!)![0]);
  const verdict = lines.slice(at + 1).find((line) => /^(?:OK|FAILED|NO TESTS RAN)\b/.test(line)) ?? '';
  const of = (word: string) => Number(new RegExp(`\\b${word}=(\\d+)`).exec(verdict)?.[1] ?? 0);
  const failed = of('failures') + of('errors') + of('unexpected successes');
  const skipped = of('skipped') + of('expected failures');
  return { passed: Math.max(0, ran - failed - skipped), failed, skipped };
}

/** `FAIL: test_x (tests.test_a.Sum.test_x)`, then a trace whose last line is the error. */
export function readUnittestFailures(lines: readonly string[]): FailedTest[] {
  return lines.flatMap((line, at) => {
    const [, test, location] = /^(?:FAIL|ERROR): (\S+) \((.+)\)$/.exec(line) ?? [];
    if (test === undefined || !/^-{20,}$/.test(lines[at + 1] ?? '')) return [];
    const rest = lines.slice(at + 2);
    const end = rest.findIndex((other) => /^(?:={20,}|-{20,})$/.test(other));
    const block = rest.slice(0, end < 0 ? 60 : end);
    const message = block.findLast((other) => /^[\w.]+(?:Error|Exception|Exit|Interrupt|Warning)?: /.test(other)) ?? '';
    return [{ name: location!.endsWith(`.${test}`) ? location! : `${location}.${test}`, message }];
  });
}
