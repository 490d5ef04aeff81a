import { runInThisContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { listNotes } from '../stack/list-notes.ts';
import { toFrames } from '../stack/to-frames.ts';
import { arm, type Armed } from './arm.ts';
import { RING } from './capture.ts';

let armed: Armed | undefined;
afterEach(() => armed?.disarm());

function take(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

function fail(list: unknown): never {
  const own = list;
  throw new Error(String(own === undefined));
}

const hasVariables = (error: unknown): boolean => toFrames(error)[0]?.locals?.has('own') === true;

test('of many errors at one place, the last ones keep their variables, and the others say so', () => {
  armed = arm({ sample: false });
  const errors = Array.from({ length: RING + 10 }, (_, index) => take(() => fail(index)));
  expect(errors.filter((error) => hasVariables(error))).toEqual(errors.slice(10));
  expect(listNotes(errors[0])).toHaveLength(1);
  expect(listNotes(errors.at(-1))).toEqual([]);
});

test('the variables of all errors together are bounded', () => {
  armed = arm();
  // Each place has one error, so the bound of one place does not count.
  const errors = Array.from({ length: 20 }, (_, index) => {
    const code = `${'\n'.repeat(index)}(list) => { const own = list; throw new Error(own.length); }`;
    const failing = runInThisContext(code) as typeof fail;
    return take(() => failing(new Float64Array(1_000_000)));
  });
  const kept = errors.filter((error) => hasVariables(error));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(8);
  expect(hasVariables(errors.at(-1))).toBe(true);
  expect(listNotes(errors[0])).toHaveLength(1);
});
