import { expect, test } from 'vitest';
import type { ChangedFile } from './changed-file.ts';
import { findWeakenings } from './find-weakenings.ts';
import { readChecks } from './read-checks.ts';

const toPackage = (command: string): string => JSON.stringify({ scripts: { test: command } });

async function isWeaker(before: string, after: string): Promise<boolean> {
  const file: ChangedFile = {
    path: 'package.json',
    before: toPackage(before),
    after: toPackage(after),
    isCreated: false,
    isDeleted: false,
  };
  const row = {
    call: '',
    command: 'npm test',
    exitCode: 0,
    ...readChecks('npm test', { scriptsOf: () => ({ test: after }) }),
  };
  return (await findWeakenings([file])).some(({ weakens }) => weakens(row));
}

test.each([
  ['node --test', 'node --import ./load.js --test'],
  ['node --test', 'node --import=./load.js --test'],
  ['node --test', 'node -r ./load.js --test'],
  ['node --test', 'node --loader ./load.js --test'],
  ['node --test', 'node --test --test-reporter=./load.js'],
  ['node --import ./a.js --test', 'node --import ./b.js --test'],
  ['mocha', 'mocha --require ./load.js'],
  ['jest', 'jest --config ./other.json'],
  ['vitest run', 'vitest run --reporter=./load.js'],
  ['vitest run', 'vitest run --config other.config.js'],
  ['pytest', 'pytest -p plugin.py'],
])('a script that loads other code is weaker: from %s to %s', async (before, after) =>
  expect(await isWeaker(before, after)).toBe(true),
);

test.each([
  ['node --test', 'node --test --test-reporter=spec'],
  ['node --test', 'node --test --test-concurrency=2'],
  ['vitest run', 'vitest run --reporter verbose'],
  ['node --import ./a.js --test', 'node --import ./a.js --test test/'],
  ['mocha', 'mocha --reporter dot'],
])('a script with other output is not: from %s to %s', async (before, after) =>
  expect(await isWeaker(before, after)).toBe(false),
);
