import { afterEach, expect, test } from 'vitest';
import { listNotes } from '../stack/list-notes.ts';
import { toFrames } from '../stack/to-frames.ts';
import { arm, type Armed } from './arm.ts';
import { findCapture } from './capture.ts';
import type { PausedFrame } from './paused-frame.ts';
import { BURST, createSampling } from './sampling.ts';

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

function fail(own: number): never {
  throw new Error(String(own));
}

const takeMany = (count: number): unknown[] => Array.from({ length: count }, (_, index) => take(() => fail(index)));
const count = (errors: readonly unknown[]): number => errors.filter((error) => findCapture(error)).length;

test('a place that throws often is sampled, and says so', () => {
  armed = arm();
  const errors = takeMany(1000);
  expect(count(errors.slice(0, BURST))).toBe(BURST);
  expect(count(errors)).toBeLessThan(500);
  const missed = errors.findLast((error) => !findCapture(error));
  expect(listNotes(missed)).toEqual([expect.stringContaining(import.meta.filename)]);
  expect(listNotes(errors.findLast((error) => findCapture(error)))).toEqual([]);
});

test('an error that leaves the functions of the place is captured', () => {
  armed = arm();
  takeMany(1000);
  function outside(): unknown {
    try {
      return fail(7);
    } catch (error) {
      return error;
    }
  }
  const error = outside();
  expect(toFrames(error)[0]?.locals?.get('own')).toBe(7);
  expect(listNotes(error)).toEqual([]);
});

test('an error that is captured when it is thrown again says that its first throw is missing', () => {
  armed = arm();
  const missed = takeMany(1000).findLast((error) => !findCapture(error));
  function again(value: unknown): unknown {
    try {
      throw value;
    } catch (error) {
      return error;
    }
  }
  expect(findCapture(again(missed))).toBeDefined();
  expect(listNotes(missed)).toHaveLength(1);
});

test('all errors are captured on request', () => {
  armed = arm({ sample: false });
  expect(count(takeMany(BURST * 3))).toBe(BURST * 3);
});

/** A frame of a script of its own. */
const toFrame = (scriptId: string, line: number): PausedFrame => {
  const at = (lineNumber: number, columnNumber: number) => ({ scriptId, lineNumber, columnNumber });
  return {
    functionName: 'f',
    location: at(line, 4),
    url: '',
    scopeChain: [
      { type: 'local', object: { type: 'object' }, startLocation: at(line, 0), endLocation: at(line + 1, 9) },
    ],
    this: { type: 'undefined' },
  };
};

function open() {
  const posts: { method: string; parameters: Record<string, unknown> }[] = [];
  const state = { now: 0, lift: undefined as (() => void) | undefined };
  const sampling = createSampling({
    post: (method, parameters) => void posts.push({ method, parameters: parameters as Record<string, unknown> }),
    urlOf: (scriptId) => `file:///${scriptId}.js`,
    onMuted: () => {},
    now: () => state.now,
    later(run) {
      state.lift = run;
      return () => (state.lift = undefined);
    },
  });
  return { posts, state, sampling };
}

test('a muted place is captured again later', () => {
  const { posts, state, sampling } = open();
  const frames = [toFrame('1', 3), toFrame('1', 8)];
  const admitted = (): number =>
    Array.from({ length: BURST * 2 }, () => sampling.admits(frames, 0)).filter(Boolean).length;
  expect(admitted()).toBe(BURST);
  expect(posts.at(-1)!.method).toBe('Debugger.setPauseOnExceptions');
  posts.length = 0;
  state.now += 100;
  state.lift!();
  expect(posts).toEqual([
    { method: 'Debugger.setBlackboxedRanges', parameters: { scriptId: '1', positions: [] } },
    { method: 'Debugger.setPauseOnExceptions', parameters: { state: 'all' } },
  ]);
  expect(admitted()).toBe(5);
});

test('a range begins before its function, also at the beginning of a line', () => {
  const { posts, sampling } = open();
  for (let index = 0; index <= BURST; index++) sampling.admits([toFrame('1', 3)], 0);
  expect(posts.at(-1)!.parameters['positions']).toEqual([
    { lineNumber: 2, columnNumber: 2 ** 31 - 1 },
    { lineNumber: 4, columnNumber: 9 },
  ]);
});

test('code that begins with its file is muted by its file', () => {
  const { posts, sampling } = open();
  for (let index = 0; index <= BURST; index++) sampling.admits([toFrame('a+b', 0)], 0);
  expect(posts.at(-1)).toEqual({
    method: 'Debugger.setBlackboxPatterns',
    parameters: { patterns: [String.raw`^file:///a\+b\.js$`] },
  });
});

test('places that are rare are not muted', () => {
  const { posts, state, sampling } = open();
  for (let index = 0; index < BURST * 3; index++) {
    state.now += 1000;
    expect(sampling.admits([toFrame('1', 3)], 0)).toBe(true);
  }
  expect(posts).toEqual([]);
});
