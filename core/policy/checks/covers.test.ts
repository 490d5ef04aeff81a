import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../protocol/index.ts';
import { covers, findOpenReds } from './covers.ts';
import { readChecks } from './read-checks.ts';

const SCRIPTS = {
  test: 'vitest run',
  'test:unit': 'node --test test/unit',
  lint: 'eslint .',
  ci: 'npm run lint && npm test',
};
const row = (command: string, exitCode = 0): Evidence => ({
  call: 'c',
  command,
  exitCode,
  ...readChecks(command, { scriptsOf: () => SCRIPTS }),
});

describe('what answers a red check', () => {
  test.each([
    ['npm test', 'npm test'],
    ['npm test', 'npx vitest run src/a.test.ts'],
    ['npm test', 'node --test test/a.test.js'],
    ['npx vitest run', 'npm test -- -t adds'],
    ['npx vitest run src', 'npx vitest run src/a.test.ts'],
    ['npm run ci', 'npm run lint'],
    ['npm run ci', 'npm test'],
    ['pytest', 'pytest tests/test_a.py -k adds'],
    ['npx tsc --noEmit', 'npx tsc -p tsconfig.json'],
  ])('%s answers %s', (later, earlier) => expect(covers(row(later), row(earlier))).toBe(true));

  test.each([
    ['npx vitest run src/a.test.ts', 'npm test'],
    ['npm test -- -t adds', 'npm test'],
    ['npm run test:unit', 'npm test'],
    ['npm run lint', 'npm test'],
    ['npm test', 'npm run ci'],
    ['pytest -k adds', 'pytest'],
    ['npx vitest run src/b.test.ts', 'npx vitest run src/a.test.ts'],
    ['cd packages/a && npx vitest run', 'npx vitest run'],
    ['npx vitest run src-other', 'npx vitest run src'],
  ])('%s does not answer %s', (later, earlier) => expect(covers(row(later), row(earlier))).toBe(false));

  test('a red check stays open behind a narrow green one, and behind one that proves nothing', () => {
    const red = row('npm test', 1);
    expect(findOpenReds([red, row('npx vitest run src/a.test.ts')])).toEqual([red]);
    expect(findOpenReds([red, row('npm test || true')])).toEqual([red]);
    expect(findOpenReds([red, row('npm test')])).toEqual([]);
    expect(findOpenReds([row('npm test || true', 1)])).toEqual([]);
  });

  test('of old logs the command alone is compared', () => {
    const old = (command: string, exitCode: number): Evidence => ({ call: 'c', command, exitCode });
    expect(findOpenReds([old('npm test', 1), old('npm test', 0)])).toEqual([]);
    expect(findOpenReds([old('npm test', 1), old('npm run lint', 0)])).toHaveLength(1);
  });
});
