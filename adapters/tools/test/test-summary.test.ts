import { expect, test } from 'vitest';
import { describeSummary, toTestSummary } from './test-summary.ts';

const VITEST = `
 ❯ a.test.js (3 tests | 1 failed | 1 skipped) 17ms
     × subtracts 13ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

\u001b[41m FAIL \u001b[49m a.test.js > math > subtracts
AssertionError: expected +0 to be 5 // Object.is equality

- 5
+ 0

 ❯ a.test.js:4:41
      2| describe('math', () => {

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed | 1 skipped (3)
`;

const JEST = `
FAIL ./a.test.js
  math
    ✓ adds (2 ms)
    ✕ subtracts (3 ms)

  ● math › subtracts

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: 0

      at Object.toBe (a.test.js:3:45)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
`;

const SPEC = `▶ math
  ✔ adds (0.822881ms)
  ✖ subtracts (0.76825ms)
✖ math (13.570397ms)
ℹ tests 3
ℹ pass 1
ℹ fail 1
ℹ skipped 1

✖ failing tests:

test at a.test.mjs:2:70
✖ subtracts (0.76825ms)
  AssertionError [ERR_ASSERTION]: 0 == 5
      at TestContext.<anonymous> (file:///a.test.mjs:2:101)
    operator: '==',
  }
`;

const TAP = `TAP version 13
    ok 1 - adds
    not ok 2 - subtracts
      ---
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be equal:
        
        0 !== 5
        
      code: 'ERR_ASSERTION'
      ...
    not ok 3 - later # TODO
not ok 1 - math
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
# pass 1
# fail 1
# skipped 0
`;

test.each([
  [
    'vitest',
    VITEST,
    1,
    'a.test.js > math > subtracts',
    'AssertionError: expected +0 to be 5 // Object.is equality\n- 5\n+ 0',
  ],
  ['jest', JEST, undefined, 'math › subtracts', 'Expected: 5\n    Received: 0'],
  ['node:test', SPEC, 1, 'subtracts', '  AssertionError [ERR_ASSERTION]: 0 == 5'],
  ['TAP', TAP, 0, 'subtracts', 'Expected values to be equal:\n0 !== 5'],
])('%s', (...row) => {
  const [, output, skipped, name, message] = row;
  const summary = toTestSummary(output);
  expect(summary).toMatchObject({ passed: 1, failed: 1, skipped });
  expect(summary.failures.map((failure) => failure.name)).toEqual([name]);
  expect(summary.failures[0]!.message).toContain(message);
  expect(summary.failures[0]!.message).not.toContain('operator');
  expect(describeSummary(summary)).toContain(`FAILED ${name}\n`);
});

const PYTEST = `..F                                                                      [100%]
=================================== FAILURES ===================================
E       assert (1 - 1) == 5
=========================== short test summary info ============================
FAILED tests/test_a.py::test_x[a - b] - assert (1 - 1) == 5
ERROR tests/test_b.py::test_y - fixture 'z' not found
1 failed, 2 passed, 1 xfailed, 1 error in 0.12s
`;

const UNITTEST = `test_a (tests.test_sum.Sum.test_a) ... ok
test_b (tests.test_sum.Sum) ... FAIL

======================================================================
FAIL: test_b (tests.test_sum.Sum)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/tests/test_sum.py", line 8, in test_b
    self.assertEqual(1 - 1, 5)
AssertionError: 0 != 5

----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1, skipped=2)
`;

test('pytest and unittest', () => {
  expect(toTestSummary(PYTEST)).toEqual({
    ...{ passed: 2, failed: 2, skipped: 1 },
    failures: [
      { name: 'tests/test_a.py::test_x[a - b]', message: 'assert (1 - 1) == 5' },
      { name: 'tests/test_b.py::test_y', message: "fixture 'z' not found" },
    ],
  });
  expect(toTestSummary(UNITTEST)).toEqual({
    ...{ passed: 1, failed: 1, skipped: 2 },
    failures: [{ name: 'tests.test_sum.Sum.test_b', message: 'AssertionError: 0 != 5' }],
  });
  for (const none of ['no tests ran in 0.01s\n', '3 deselected in 0.01s\n', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN\n'])
    expect(toTestSummary(none)).toMatchObject({ passed: 0, failed: 0, failures: [] });
});

test('unknown output has no summary', () => {
  expect(describeSummary(toTestSummary('all is well\n'))).toBe('');
});

test('several runs in one script are added up, and none at all is said', () => {
  const two = toTestSummary('      Tests  1 failed | 3 passed (4)\n\nℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ skipped 1\n');
  expect(two).toMatchObject({ passed: 5, failed: 1, skipped: 1 });
  for (const none of ['ℹ tests 0\nℹ pass 0\nℹ fail 0\n', 'No test files found, exiting with code 0\n']) {
    expect(toTestSummary(none)).toMatchObject({ passed: 0, failed: 0, failures: [] });
  }
});
