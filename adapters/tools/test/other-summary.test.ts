import { expect, test } from 'vitest';
import { toTestSummary } from './test-summary.ts';

const GO = `=== RUN   TestAdds
--- PASS: TestAdds (0.00s)
=== RUN   TestSubtracts
    sum_test.go:12: got 3
--- FAIL: TestSubtracts (0.00s)
=== RUN   TestLater
--- SKIP: TestLater (0.00s)
FAIL
FAIL	example.com/app	0.002s
`;
const CARGO = `running 3 tests
test adds ... ok
test later ... ignored
test subtracts ... FAILED

failures:

---- subtracts stdout ----
thread 'subtracts' panicked at src/lib.rs:9:5

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;
const MAVEN = `[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! - in ATest
[ERROR] Failures: 
[ERROR]   ATest.subtracts:9 expected:<5> but was:<0>
[INFO] 
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1
`;
const GRADLE = `ATest > subtracts() FAILED
    org.opentest4j.AssertionFailedError at ATest.java:9

3 tests completed, 1 failed, 1 skipped
`;
const CTEST = `    Start 2: subtracts
2/2 Test #2: subtracts ........................***Failed    0.00 sec

50% tests passed, 1 tests failed out of 2

The following tests FAILED:
\t  2 - subtracts (Failed)
`;

test.each([
  ['go test', GO, { passed: 1, failed: 1, skipped: 1 }, ['TestSubtracts']],
  [
    'go test of a package that was not built',
    'FAIL\texample.com/app [setup failed]\n',
    { passed: 0, failed: 1 },
    ['example.com/app'],
  ],
  ['cargo test', CARGO, { passed: 2, failed: 1, skipped: 1 }, ['subtracts']],
  ['Maven', MAVEN, { passed: 1, failed: 1, skipped: 1 }, ['ATest.subtracts']],
  ['Gradle', GRADLE, { passed: 1, failed: 1, skipped: 1 }, ['ATest > subtracts()']],
  ['CTest', CTEST, { passed: 1, failed: 1 }, ['subtracts']],
  ['mocha', '\n  2 passing (5ms)\n  1 pending\n  1 failing\n', { passed: 2, failed: 1, skipped: 1 }, []],
  ['bun', '(fail) sum > subtracts [0.12ms]\n\n 2 pass\n 1 fail\n', { passed: 2, failed: 1 }, ['sum > subtracts']],
  ['Deno', 'FAILED | 1 passed | 1 failed (10ms)\n', { passed: 1, failed: 1 }, []],
  [
    'RSpec',
    '3 examples, 1 failure, 1 pending\n\nrspec ./spec/a_spec.rb:3 # Sum subtracts\n',
    { passed: 1, failed: 1, skipped: 1 },
    ['Sum subtracts'],
  ],
  [
    'PHPUnit',
    '1) SumTest::testSubtracts\nTests: 3, Assertions: 5, Failures: 1, Skipped: 1.\n',
    { passed: 1, failed: 1, skipped: 1 },
    ['SumTest::testSubtracts'],
  ],
  ['PHPUnit, green', 'OK (3 tests, 5 assertions)\n', { passed: 3, failed: 0 }, []],
  [
    'dotnet',
    '  Failed Sum.Subtracts [3 ms]\nFailed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 5 ms\n',
    { passed: 2, failed: 1, skipped: 1 },
    ['Sum.Subtracts'],
  ],
] as const)('the counts and failures of %s', (_name, output, counts, failures) => {
  const summary = toTestSummary(output);
  expect(summary).toMatchObject(counts);
  expect(summary.failures.map(({ name }) => name)).toEqual(failures);
});

test('what no runner says gives no counts', () => {
  expect(toTestSummary('ok\nall is well\n')).toEqual({
    passed: undefined,
    failed: undefined,
    skipped: undefined,
    failures: [],
  });
});
