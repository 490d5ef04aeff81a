import { expect, test } from 'vitest';
import { messageOf } from './message-of.ts';

const withMessage = (message: unknown): Error =>
  Object.defineProperty(new Error('former'), 'message', { value: message });
const NONE = 'an error without a message';
const fail = (): never => {
  throw new Error('must not leave');
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

test.each<[what: string, error: unknown, message: string]>([
  ['an error', new TypeError('not found'), 'not found'],
  ['an error without a message', new Error(), ''],
  ['an error with a cause', new Error('outer', { cause: new Error('inner') }), 'outer'],
  ['an aborted signal', AbortSignal.abort().reason, 'This operation was aborted'],
  ['a text', 'plain', 'plain'],
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 42, '42'],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['an object', {}, '[object Object]'],
  ['an error with a number as its message', withMessage(7), 'Error: 7'],
  ['an error with an object as its message', withMessage({}), 'Error: [object Object]'],
  ['an error whose message is a failing getter', Object.defineProperty(new Error(), 'message', { get: fail }), NONE],
  ['an error whose message has no text', withMessage(Object.create(null)), NONE],
  ['an object without a prototype', Object.create(null), NONE],
  ['a failing toString', { toString: fail }, NONE],
  ['a revoked proxy', revoked.proxy, NONE],
])('the message of %s', (_, error, message) => {
  expect(messageOf(error)).toBe(message);
});
