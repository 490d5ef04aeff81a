import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ContextCallable, ContextItem, isThrown, openContext } from './context.ts';

class Response {}

test.each([
  [new Error('x'), true],
  ['text', true],
  [undefined, true],
  [null, true],
  [new Response(), true],
  [[1], true],
  [new Proxy({}, {}), true],
  [runInNewContext('new TypeError("x")'), true],
  [{ error: 1 }, false],
  [Object.create(null), false],
  [runInNewContext('({ a: 1 })'), false],
])('%# is thrown, or is a context', (value, expected) => {
  expect(isThrown(value)).toBe(expected);
});

test('items are opened, and the error is the item of that name, or else the first error', () => {
  const run = () => 1;
  const first = new Error('first');
  const second = new Error('second');
  const opened = openContext({ a: new ContextItem(1, 'one'), run: new ContextCallable(run, 'runs'), first, second });
  expect(opened).toEqual({
    error: first,
    values: { a: 1, run, first, second },
    descriptions: { a: 'one', run: 'runs' },
  });
  expect(openContext({ first, error: second }).error).toBe(second);
  expect(openContext({ a: 1 }).error).toBeUndefined();
});

test('an accessor is not run', () => {
  const context = {
    get bad(): never {
      throw new Error('read');
    },
  };
  expect(openContext(context).values['bad']).toBeTypeOf('function');
});
