import { expect, test } from 'vitest';
import { createRedactor } from '../redact/create-redactor.ts';
import { formatValue, toValueNode } from './format-value.ts';
import { resolvePath } from './resolve-path.ts';

const mask = createRedactor({ env: {} });
const show = (value: unknown): string => formatValue(value, { mask });
const fail = (): never => {
  throw new Error('Code of the program ran.');
};
const trap = new Proxy({}, new Proxy({}, { get: fail }));
const cycle: Record<string, unknown> = { a: 1 };
cycle['self'] = cycle;
let deep: unknown = 'end';
for (let level = 0; level < 100_000; level++) deep = { deep };

class Account {
  owner = 'Ann';
  static kind = 'x';
  get balance(): number {
    return fail();
  }
}

class Sealed {
  #amount = 3;
  #list = [1];
  open = 1;
  get #title(): string {
    return fail();
  }
  sum() {
    return this.#amount + this.#list.length + this.#title.length;
  }
}

test.each([
  ['a proxy', trap, /^\[Proxy\]$/],
  ['a proxy of a function', new Proxy(fail, {}), /Proxy of a function/],
  ['a getter', Object.defineProperty({}, 'x', { get: fail, enumerable: true }), /x: \[Getter\]/],
  ['a tag that throws', Object.defineProperty({ a: 1 }, Symbol.toStringTag, { get: fail }), /a: 1/],
  ['a constructor that throws', Object.create(Object.defineProperty({}, 'constructor', { get: fail })), /\[Getter\]/],
  [
    'toString and inspect',
    { toString: fail, [Symbol.for('nodejs.util.inspect.custom')]: fail, toJSON: fail },
    /toJSON: \[Function/,
  ],
  ['an error whose message is a getter', Object.defineProperty(new Error('x'), 'message', { get: fail }), /Error/],
  ['a prototype that is a proxy', Object.create(trap), /\[\[Prototype\]\]: \[Proxy\]/],
  ['another prototype', Object.setPrototypeOf({ a: 1 }, { b: 2 }), /^\{ \[\[Prototype\]\]: \{ b: 2 \}, a: 1 \}$/],
  ['private fields', new Sealed(), /^Sealed \{ #title: \[Getter\], #amount: 3, #list: \[ 1 \], open: 1 \}$/],
  ['a cycle', cycle, /\[Circular\]/],
  ['a BigInt', 12n, /^12n$/],
  ['a very large BigInt', 10n ** 5000n, /digits/],
  ['a symbol', { [Symbol('s')]: Symbol('t') }, /\[Symbol\(s\)\]: Symbol\(t\)/],
  ['-0', -0, /^-0$/],
  ['a sparse list', Object.assign([], { 2: 1 }), /<empty>/],
  [
    'a Map',
    new Map<unknown, unknown>([
      [{ id: 1 }, 'x'],
      ['k', 2],
    ]),
    /Map\(2\) \{.*"k": 2/,
  ],
  ['a Set', new Set([1, 2]), /Set\(2\) \{ 1, 2 \}/],
  ['an instance', new Account(), /Account \{ owner: "Ann" \}/],
  ['a class', Account, /\[class Account\] \{ kind: "x" \}/],
  ['a Buffer', Buffer.from('ab'), /Buffer\(2\) \[ 97, 98 \]/],
  ['a date', new Date(0), /^1970-01-01T00:00:00.000Z$/],
  ['an invalid date', new Date(Number.NaN), /^Invalid Date$/],
  ['a regular expression', /a\/b/gi, /^\/a\\\/b\/gi$/],
  ['an error with a cause', new TypeError('out', { cause: new Error('in') }), /TypeError: out[^]*cause: \[Error: in/],
  ['a pending promise', new Promise(() => {}), /<pending>/],
  ['a fulfilled promise', Promise.resolve(4), /<fulfilled>: 4/],
  ['a WeakMap', new WeakMap(), /WeakMap/],
  ['no prototype', Object.assign(Object.create(null), { a: 1 }), /\{ a: 1 \}/],
  ['a secret', { password: 'hunter22', deep: [{ apiKey: 'abc' }] }, /^(?!.*(?:hunter22|abc)).*\[masked\].*\[masked\]/],
])('%s', (_name, value, expected) => {
  expect(show(value)).toMatch(expected);
});

test.each([
  ['half a gigabyte of text', 'x'.repeat(2 ** 29 - 24)],
  ['ten million elements', Array.from({ length: 1e7 })],
  ['a large Map', new Map(Array.from({ length: 1e5 }, (_, index) => [index, { index }]))],
  ['a large typed array', new Float64Array(1e7)],
  ['a very long list without elements', Object.assign([], { length: 2 ** 32 - 1 })],
  ['a deep object', deep],
  ['many large texts', Array.from({ length: 1000 }, () => 'y'.repeat(100_000))],
  ['many keys', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index]))],
])('%s is bounded', (_name, value) => {
  expect(show(value).length).toBeLessThan(20_000);
  const node = toValueNode({ name: 'x', step: 'x', value }, 'x', { mask, depth: 6 });
  expect(JSON.stringify(node).length).toBeLessThan(200_000);
  expect(node.preview.length).toBeLessThanOrEqual(200);
});

test('each path of a tree leads to its value', () => {
  const value = {
    list: [{ 'a key': new Map([['k', { found: 1 }]]) }],
    [Symbol('s')]: { b: 2 },
    done: Promise.resolve({ c: 3 }),
  };
  const root = { name: 'x', step: 'x', value };
  const paths: string[] = [];
  const walk = (node: ReturnType<typeof toValueNode>): void => {
    if (node.path !== undefined) {
      paths.push(node.path);
      const part = resolvePath(root, node.path.slice(1));
      expect(part && toValueNode(part, node.path, { mask, depth: 0 }).preview, node.path).toBe(node.preview);
    }
    node.children?.forEach(walk);
  };
  walk(toValueNode(root, 'x', { mask, depth: 6 }));
  expect(paths.length).toBeGreaterThanOrEqual(6);
});
