import type { FailedTest, TestCounts } from './test-result.ts';

/** How the output of a runner is read. All rows are tried: one script may run several runners. */
interface Reader {
  /** Each match is added up, by the names of its groups. */
  counts: RegExp;
  /** What else makes the counts of a match, where its groups alone do not. */
  toCounts?: (groups: Readonly<Record<string, string | undefined>>) => TestCounts;
  /** Names of failed tests; the group `message` where there is one. */
  failures?: RegExp;
}

/** Sources: the outputs of the programs themselves, and the references of those that are not installed here. */
const READERS: readonly Reader[] = [
  // go test -v: `--- PASS: TestAdds (0.00s)`. Subtests are indented, and counted with the test that they belong to.
  {
    counts: /^--- (?:(?<p>PASS)|(?<f>FAIL)|(?<s>SKIP)): \S+ \([\d.]+s\)$/gm,
    toCounts: ({ p, f, s }) => ({ passed: p ? 1 : 0, failed: f ? 1 : 0, skipped: s ? 1 : 0 }),
    failures: /^ *--- FAIL: (?<name>\S+) \([\d.]+s\)\n?(?<message>(?: {4}\S.*\n)*)/gm,
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
    toCounts: (groups) => {
      const [total, failures, errors, skipped] = ['total', 'failures', 'errors', 'skipped'].map((key) =>
        Number(groups[key]),
      ) as [number, number, number, number];
      return { passed: total - failures - errors - skipped, failed: failures + errors, skipped };
    },
    failures: /^(?:\[ERROR\]) +(?<name>[\w$.]+[.:#][\w$]+):\d+ ?(?<message>.*)$/gm,
  },
  // Gradle says something only of failed ones: `3 tests completed, 1 failed, 1 skipped`.
  {
    counts: /^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/gm,
    toCounts: ({ total, failed = '0', skipped = '0' }) => ({
      passed: Number(total) - Number(failed) - Number(skipped),
      failed: Number(failed),
      skipped: Number(skipped),
    }),
    failures: /^(?<name>\S+ > .+) FAILED$/gm,
  },
  // CTest: `50% tests passed, 1 tests failed out of 2`.
  {
    counts: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/gm,
    toCounts: ({ total, failed }) => ({ passed: Number(total) - Number(failed), failed: Number(failed), skipped: 0 }),
    failures: /^\t +\d+ - (?<name>.+) \((?:Failed|Timeout|SEGFAULT|Not Run|[A-Z][\w ]*)\)/gm,
  },
  // Mocha: `  3 passing (5ms)`, `  1 pending`, `  1 failing`.
  {
    counts: /^ {2}(?<n>\d+) (?<what>passing|failing|pending)(?: \([\d.]+m?s\))?$/gm,
    toCounts: ({ n, what }) => ({
      passed: what === 'passing' ? Number(n) : 0,
      failed: what === 'failing' ? Number(n) : 0,
      skipped: what === 'pending' ? Number(n) : 0,
    }),
  },
  // Bun: ` 3 pass`, ` 1 fail`, ` 1 skip`.
  {
    counts: /^ (?<n>\d+) (?<what>pass|fail|skip)$/gm,
    toCounts: ({ n, what }) => ({
      passed: what === 'pass' ? Number(n) : 0,
      failed: what === 'fail' ? Number(n) : 0,
      skipped: what === 'skip' ? Number(n) : 0,
    }),
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
    toCounts: ({ total, failed, skipped = '0' }) => ({
      passed: Number(total) - Number(failed) - Number(skipped),
      failed: Number(failed),
      skipped: Number(skipped),
    }),
    failures: /^rspec \S+ # (?<name>.+)$/gm,
  },
  // PHPUnit: `OK (3 tests, 5 assertions)`, `Tests: 3, Assertions: 5, Failures: 1.`
  {
    counts:
      /^(?:OK \((?<ok>\d+) tests?, |Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failures>\d+))?(?:, Warnings: \d+)?(?:, Deprecations: \d+)?(?:, Skipped: (?<skipped>\d+))?)/gm,
    toCounts: ({ ok, total, errors = '0', failures = '0', skipped = '0' }) => {
      const failed = Number(errors) + Number(failures);
      return { passed: ok ? Number(ok) : Number(total) - failed - Number(skipped), failed, skipped: Number(skipped) };
    },
    failures: /^\d+\) (?<name>[\w\\]+::\w+.*)$/gm,
  },
  // dotnet test: `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3`.
  {
    counts:
      /^(?:Passed|Failed|Skipped)! +- Failed: +(?<failed>\d+), Passed: +(?<passed>\d+), Skipped: +(?<skipped>\d+)/gm,
    failures: /^ {2}Failed (?<name>\S+) \[/gm,
  },
];

/** What the runners of other languages said; undefined where none did. */
export function readOtherCounts(output: string): TestCounts | undefined {
  let sum: TestCounts | undefined;
  for (const { counts, toCounts = toPlain } of READERS)
    for (const { groups = {} } of output.matchAll(counts)) {
      const { passed, failed, skipped } = toCounts(groups);
      sum = {
        passed: (sum?.passed ?? 0) + passed,
        failed: (sum?.failed ?? 0) + failed,
        skipped: (sum?.skipped ?? 0) + skipped,
      };
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

function toPlain({
  passed = '0',
  failed = '0',
  skipped = '0',
}: Readonly<Record<string, string | undefined>>): TestCounts {
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}
