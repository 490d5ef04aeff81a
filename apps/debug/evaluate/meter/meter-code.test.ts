import { runInThisContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../redact/create-redactor.ts';
import { createEvaluator } from '../evaluator.ts';

const items = Array.from({ length: 300 }, (_, i) => ({ i, name: `n${i}` }));
class Own extends Array {
  override filter(): never[] {
    return [];
  }
}
class OwnMap extends Map<unknown, unknown> {
  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return new Map<unknown, unknown>([['own', 1]]).entries();
  }
}
const values = {
  items,
  few: [3, 1, 2],
  holes: [1, , 3], // oxlint-disable-line eslint/no-sparse-arrays -- that is the case.
  pairs: [
    [1, 'a'],
    ['b', 2],
  ],
  byId: new Map(items.map((item) => [item.i, item])),
  small: new Map([['a', 1]]),
  all: new Set(items.map(({ i }) => i)),
  typed: Float64Array.from(items, ({ i }) => i / 2),
  own: Own.from([1, 2, 3]),
  ownMap: new OwnMap(items.map((item) => [item.i, item])),
  text: 'añb',
  record: Object.fromEntries(items.map(({ i, name }) => [name, i])),
};
const evaluator = createEvaluator({ context: values, redactor: createRedactor({ env: {} }) });
afterAll(() => evaluator.close());

/** The value as text, as the language has it and as read-only evaluation gives it. */
async function compare(code: string): Promise<[expected: string, seen: string]> {
  const names = Object.keys(values).join(', ');
  const run = runInThisContext(`(${names}) => JSON.stringify(${code})`) as (...all: unknown[]) => string;
  const expected = run(...Object.values(values));
  const text = await evaluator.evaluate({ code: `JSON.stringify(${code})`, readOnly: true, timeoutMs: 20_000 });
  expect(text.isError, text.result).toBe(false);
  return [
    JSON.stringify(expected),
    text.result.startsWith("'") ? JSON.stringify(text.result.slice(1, -1)) : text.result,
  ];
}

const inFunction = (body: string): string => `(() => { ${body} })()`;

test.each([
  '[...byId].filter(([key, { name }]) => key > 297 && name !== "x")',
  '[...byId].filter(([, item]) => item.i > 297).map(([key]) => key)',
  '[...byId.values()].filter((item) => item.i > 297)',
  '[...byId.keys()].filter((key, index) => key > 297 && index > 298)',
  '[...byId.entries()].length',
  'Array.from(byId).at(-1)',
  'Array.from(byId.values(), (item, index) => item.i + index).at(-1)',
  'Array.from({ length: 3 }, (_, i) => i)',
  'Array.from("añb")',
  '[...text].map((c) => c + c)',
  '[...all].filter((x) => x > 297)',
  'Array.from(all).some((x) => x === 299)',
  '[0, ...all, ...small.keys()].length',
  'Math.max(...all)',
  '[...typed].filter((x) => x > 149)',
  'typed.find((x) => x > 149)',
  'typed.reduce((a, b) => a + b, 0)',
  'typed.some((x) => x > 200)',
  'items.reduce((sum, { i }, index) => sum + i * index, 0)',
  'few.reduce((a, b) => a + b)',
  'holes.map((x) => x * 2)',
  '[...holes]',
  'holes.filter(() => true)',
  'holes.find((x) => x === undefined) === undefined',
  'items.findLast((item) => item.i < 9).i',
  'items.findLastIndex((item) => item.i < 9)',
  'items.filter((item) => { if (item.i < 297) return false; return true; })',
  'items.filter(function (item) { for (const x of [1, 2]) if (item.i === 5 * x) return true; })',
  'items.map((item) => { const twice = (x) => { return x * 2; }; return twice(item.i); })[9]',
  'items.map(({ i: index, name = "?" }) => `${index}${name}`)[3]',
  'few.map((items) => items + 1)',
  'few.map((x) => few.filter((y) => y < x).length)',
  'pairs.map(([a, b]) => [b, a])',
  '[new Set([1, 2]), "xy"].map(([a, b]) => a)',
  'own.filter((x) => x > 1)',
  '[...own]',
  '[...ownMap]',
  'Array.from(ownMap.keys()).length',
  '({ ...byId, a: 1 })',
  '({ ...few })',
  inFunction('let n = 0; for (const [key, { i }] of byId) if (i > 297) n += key; return n;'),
  inFunction('let n = 0; for (const x of all) { if (x === 3) continue; if (x > 5) break; n += x; } return n;'),
  inFunction(
    'let n = 0; outer: for (const x of few) { for (const y of few) { if (y === 2) continue outer; n += y; } } return n;',
  ),
  inFunction('for (const item of byId.values()) if (item.i === 250) return item; return 1;'),
  inFunction(
    'const out = []; for (const [index, item] of items.entries()) if (index === 4) out.push(item); return out;',
  ),
  inFunction(
    'const out = []; byId.forEach((item, key) => { if (key > 297) out.push([key, item.name]); }); return out;',
  ),
  inFunction('const out = []; all.forEach((x, y) => { if (x > 297) out.push(x + y); }); return out;'),
  inFunction('const calls = []; for (const x of few) calls.push(() => x); return calls.map((call) => call());'),
  inFunction('const counts = {}; for (const { i } of items) counts[i % 3] = (counts[i % 3] ?? 0) + 1; return counts;'),
  inFunction('const made = new Map([[1, 2]]); let n = 0; for (const [a, b] of made) n += a + b; return n;'),
  inFunction('try { return [...byId].length; } catch { return "caught"; }'),
  inFunction('function* make() { yield 1; yield 2; } return [...make()].map((x) => x + 1);'),
  inFunction('const list = [3]; return few.filter((x) => list.includes(x));'),
  'Object.entries(record).filter(([key, value]) => value > 297 && key !== "x")',
  'Object.values(record).filter((value) => value > 297)',
])('%s', async (code) => {
  const [expected, seen] = await compare(code);
  expect(seen).toBe(expected);
});

test('a list that code asks for is made for each evaluation', async () => {
  const read = (): Promise<{ result: string }> =>
    evaluator.evaluate({ code: '[...byId.values()].length', readOnly: true, timeoutMs: 20_000 });
  expect((await read()).result).toBe('300');
  values.byId.set(-1, { i: -1, name: 'later' });
  expect((await read()).result).toBe('301');
  values.byId.delete(-1);
});

test('code cannot change what it gets of a Map', async () => {
  const { isError } = await evaluator.evaluate({
    code: 'for (const item of byId.values()) item.i = 7',
    readOnly: true,
    timeoutMs: 20_000,
  });
  expect(isError).toBe(true);
  expect(values.byId.get(3)).toEqual({ i: 3, name: 'n3' });
});

const SIZE = 1_000_000;
const toMany = (): { i: number }[] => Array.from({ length: SIZE }, (_, i) => ({ i }));

test.each([
  ['[...map.values()].filter((x) => x.i > 999997).length', () => ({ map: new Map(toMany().map((x) => [x.i, x])) })],
  ['[...map].filter(([key]) => key > 999997).length', () => ({ map: new Map(toMany().map((x) => [x.i, x])) })],
  ['Array.from(set).filter((x) => x.i > 999997).length', () => ({ set: new Set(toMany()) })],
  ['[...typed].filter((x) => x > 999997).length', () => ({ typed: Float64Array.from(toMany(), ({ i }) => i) })],
  ['list.reduce((sum, x) => sum + (x.i > 999997 ? 1 : 0), 0)', () => ({ list: toMany() })],
  [
    'Object.entries(object).filter(([key, x]) => x.i > 999997).length',
    () => ({ object: Object.fromEntries(toMany().map((x) => [`k${x.i}`, x])) }),
  ],
] as const)('a million entries: %s', { tags: ['long'], timeout: 120_000 }, async (code, make) => {
  const own = createEvaluator({ context: make(), redactor: createRedactor({ env: {} }) });
  const { result } = await own.evaluate({ code, readOnly: true, timeoutMs: 20_000 });
  own.close();
  expect(result).toBe('2');
});
