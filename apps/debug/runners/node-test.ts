// For `node --import klendathu/node-test --test`: investigates each failed test in its process.
import { afterEach, type TestContext } from 'node:test';
import { armTests } from './arm-tests.ts';
import { investigateTest } from './investigate-test.ts';

interface Outcome {
  passed: boolean;
  error: (Error & { failureType?: string }) | null;
}

// The program that starts the test files has the same options, and no tests.
const isParent = process.execArgv.includes('--test') && process.env['NODE_TEST_CONTEXT'] === undefined;

if (!isParent) {
  armTests();
  afterEach(async (context) => {
    const { passed, error, fullName, filePath } = context as TestContext & Outcome;
    if (passed || !error || error.failureType === 'subtestsFailed') return;
    await investigateTest({
      title: fullName,
      file: filePath,
      error: typeof error.cause === 'object' && error.cause !== null ? error.cause : error,
    });
  });
}
