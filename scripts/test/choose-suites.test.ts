import { expect, test } from 'vitest';
import { chooseSuites, type Selection } from './choose-suites.ts';
import type { Suite } from './suites.ts';

const toSuite = (file: string, more: Partial<Suite> = {}): Suite => ({
  file,
  covers: ['core/agent'],
  isUnit: false,
  isSecurity: false,
  ...more,
});

const UNIT = toSuite('core/a.test.ts', { isUnit: true, covers: ['core'] });
const SECURITY = toSuite('test/attack/a.test.ts', { isSecurity: true });
const SCRIPTS = toSuite('scripts/build.test.ts');
const OTHERS = Array.from({ length: 7 }, (_, at) =>
  toSuite(`test/e2e/${at}.test.ts`, { covers: [`adapters/part-${at}`] }),
);
const SUITES = [SCRIPTS, UNIT, ...OTHERS.slice(0, 3), SECURITY, ...OTHERS.slice(3)];

const choose = (selection: Partial<Selection>) => {
  const { chosen, left } = chooseSuites(SUITES, {
    changed: [],
    usesChanged: () => false,
    security: true,
    slice: undefined,
    ...selection,
  });
  return {
    chosen: new Map([...chosen].map(([{ file }, reason]) => [file, reason])),
    left: left.map(({ file }) => file),
  };
};

test('unit tests, those of the scripts and the suites of security always run', () => {
  const { chosen, left } = choose({});
  expect(Object.fromEntries(chosen)).toEqual({
    'scripts/build.test.ts': 'scripts',
    'core/a.test.ts': 'unit',
    'test/attack/a.test.ts': 'security',
  });
  expect(left).toEqual(OTHERS.map(({ file }) => file));
});

test('a suite runs if a path below what it covers changed, and a neighbour whose name begins alike does not', () => {
  const { chosen } = choose({ changed: ['adapters/part-1/deep/x.ts', 'adapters/part-20/x.ts'], security: false });
  expect([...chosen.keys()]).toEqual(['scripts/build.test.ts', 'core/a.test.ts', 'test/e2e/1.test.ts']);
});

test('a changed suite runs, and one that uses changed code for tests', () => {
  const { chosen } = choose({ changed: ['test/e2e/2.test.ts'], usesChanged: (file) => file === 'test/e2e/5.test.ts' });
  expect(chosen.get('test/e2e/2.test.ts')).toBe('changed');
  expect(chosen.get('test/e2e/5.test.ts')).toBe('changed');
  expect(chosen.has('test/e2e/3.test.ts')).toBe(false);
});

test('the slices are a partition of the others, of nearly equal size, regardless of what changed', () => {
  const slices = [0, 1, 2].map((index) => choose({ slice: { index, count: 3 } }).chosen);
  const taken = slices.map((chosen) => [...chosen].filter(([, reason]) => reason === 'slice').map(([file]) => file));
  expect(taken.flat().toSorted()).toEqual(OTHERS.map(({ file }) => file));
  expect(taken.map((files) => files.length).toSorted((a, b) => a - b)).toEqual([2, 2, 3]);
  const { chosen } = choose({ slice: { index: 0, count: 3 }, changed: ['adapters/part-1/x.ts'] });
  expect([...chosen.keys()].toSorted()).toEqual([...slices[0]!.keys(), 'test/e2e/1.test.ts'].toSorted());
});
