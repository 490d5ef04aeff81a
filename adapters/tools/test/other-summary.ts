import type { FailedTest, TestCounts } from './test-result.ts';

/** The patterns for the output of one runner. All are tried, because a script may run several runners. */
interface Reader {
  /** Groups: `passed` or `total`, `failed`, `failures`, `errors`, `skipped`. The counts of all matches are summed. */
  counts: RegExp;
  /** Computes the counts of a match without such groups. */
  toCounts?: (groups: Readonly<Record<string, string | undefined>>) => TestCounts;
  /** Names of failed tests, with an optional group `message`. */
  failures?: RegExp;
}

/** Sources: the output of the programs, or their references. */
const READERS: readonly Reader[] = [
  // go test -v: `--- PASS: TestAdds (0.00s)`. Subtests are indented, and count with their test. A package that was not
  // built, `FAIL\texample.com/app [setup failed]`, counts as a failed test.
  {
    counts:
      /^(?:--- (?:(?<p>PASS)|(?<f>FAIL)|(?<s>SKIP)): \S+ \([\d.]+s\)|(?<b>FAIL)\t\S+ \[(?:setup|build) failed\])$/gm,
    toCounts: ({ p, f, b, s }) => ({ passed: p ? 1 : 0, failed: (f ?? b) ? 1 : 0, skipped: s ? 1 : 0 }),
    failures:
      /^(?: *--- FAIL: |FAIL\t)(?<name>\S+) (?:\([\d.]+s\)|\[(?:setup|build) failed\])\n?(?<message>(?: {4}\S.*\n)*)/gm,
  },
  // cargo test
  {
    counts: /^test result: \S+ (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored;/gm,
    failures: /^test (?<name>\S+)(?: - should panic)? \.\.\. FAILED$/gm,
  },
  // Maven's Surefire, the last line of a module.
  {
    counts:
      /^(?:\[(?:INFO|WARNING|ERROR)\] )?Tests run: (?<total>\d+), Failures: (?<failures>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)\s*$/gm,
    failures: /^(?:\[ERROR\]) +(?<name>[\w$.]+[.:#][\w$]+):\d+ ?(?<message>.*)$/gm,
  },
  // Gradle prints counts only if a test failed: `3 tests completed, 1 failed, 1 skipped`.
  {
    counts: /^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/gm,
    failures: /^(?<name>\S+ > .+) FAILED$/gm,
  },
  // CTest: `50% tests passed, 1 tests failed out of 2`.
  {
    counts: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/gm,
    failures: /^\t +\d+ - (?<name>.+) \((?:Failed|Timeout|SEGFAULT|Not Run|[A-Z][\w ]*)\)/gm,
  },
  // Mocha: `  3 passing (5ms)`, `  1 pending`, `  1 failing`.
  {
    counts: /^ {2}(?:(?<passed>\d+) passing|(?<failed>\d+) failing|(?<skipped>\d+) pending)(?: \([\d.]+m?s\))?$/gm,
  },
  // Bun: ` 3 pass`, ` 1 fail`, ` 1 skip`.
  {
    counts: /^ (?:(?<passed>\d+) pass|(?<failed>\d+) fail|(?<skipped>\d+) skip)$/gm,
    failures: /^\(fail\) (?<name>.+?)(?: \[[\d.]+m?s\])?$/gm,
  },
  // Deno: `ok | 3 passed | 0 failed (10ms)`.
  {
    counts:
      /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed(?: \| (?<skipped>\d+) ignored)?/gm,
  },
  // RSpec: `5 examples, 1 failure, 1 pending`.
  {
    counts: /^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?/gm,
    failures: /^rspec \S+ # (?<name>.+)$/gm,
  },
  // PHPUnit: `OK (3 tests, 5 assertions)`, `Tests: 3, Assertions: 5, Failures: 1.`
  {
    counts:
      /^(?:OK \((?<passed>\d+) tests?, |Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failures>\d+))?(?:, Warnings: \d+)?(?:, Deprecations: \d+)?(?:, Skipped: (?<skipped>\d+))?)/gm,
    failures: /^\d+\) (?<name>[\w\\]+::\w+.*)$/gm,
  },
  // dotnet test: `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3`.
  {
    counts:
      /^(?:Passed|Failed|Skipped)! +- Failed: +(?<failed>\d+), Passed: +(?<passed>\d+), Skipped: +(?<skipped>\d+)/gm,
    failures: /^ {2}Failed (?<name>\S+) \[/gm,
  },
];

/** The counts of the other runners; undefined without any. */
export function readOtherCounts(output: string): TestCounts | undefined {
  let sum: TestCounts | undefined;
  for (const { counts, toCounts = toPlain } of READERS)
    for (const { groups = {} } of output.matchAll(counts)) {
      const found = toCounts(groups);
      sum ??= { passed: 0, failed: 0, skipped: 0 };
      for (const name of ['passed', 'failed', 'skipped'] as const) sum[name] += found[name];
    }
  return sum;
}

export function readOtherFailures(output: string): FailedTest[] {
  return READERS.flatMap(({ failures }) =>
    failures === undefined
      ? []
      : [...output.matchAll(failures)].map(({ groups }) => ({
          name: groups!['name']!,
          message: (groups!['message'] ?? '').replaceAll(/^ +/gm, '').trim(),
        })),
  );
}

/** Sums the kinds of failures. Tests that are not counted as passed are the rest of the total. */
function toPlain(groups: Readonly<Record<string, string | undefined>>): TestCounts {
  const of = (name: string): number => Number(groups[name] ?? 0);
  const failed = of('failed') + of('failures') + of('errors');
  const skipped = of('skipped');
  return { passed: groups['total'] === undefined ? of('passed') : of('total') - failed - skipped, failed, skipped };
}
