import { expect, test } from 'vitest';
import { countTests } from './count-tests.ts';
import { parseSource } from './source-tree.ts';

async function count(body: string): Promise<number> {
  const text = `import assert from 'node:assert';\nimport { expect } from 'vitest';\ntest('adds', async (t) => {\n${body}\n});\n`;
  const { tests } = countTests((await parseSource(text, 'a.test.ts'))!, 'a.test.ts');
  return [...tests.values()].flat().length;
}

test.each([
  'return;\nassert.equal(f(), 2);',
  'if (process.env.CI) return;\nassert.equal(f(), 2);',
  'if (0) assert.equal(f(), 2);',
  'if (x > 9) {\n  if (true) { assert.equal(f(), 2); }\n}',
  'false && assert.equal(f(), 2);',
  'ok ? assert.equal(f(), 2) : undefined;',
  'try { assert.equal(f(), 2); } catch {}',
  'try { assert.equal(f(), 2); } catch (error) { assert.ok(error); }',
  'try { assert.equal(f(), 2); } finally { return; }',
  'while (false) { assert.equal(f(), 2); }',
  'for (const x of []) { assert.equal(x, 2); }',
  'for (const x of rows) { assert.equal(x, 2); }',
  'process.exit(0);\nassert.equal(f(), 2);',
  't.skip();\nassert.equal(f(), 2);',
  '// assert.equal(f(), 2);',
  'const text = "assert.equal(f(), 2)";',
  'all: { break all; assert.equal(f(), 2); }',
  'const assert = { equal() {} };\nassert.equal(f(), 2);',
  'let check = () => assert.equal(f(), 2);\ncheck = () => {};\ncheck();',
  'const check = (a = assert.equal(f(), 2)) => a;\ncheck(1);',
  'check?.(assert.equal(f(), 2));',
  'const check = async () => { assert.equal(await f(), 2); };\ncheck();',
  'assert.rejects(f());',
  'expect(f()).resolves.toBe(1);',
  'expect(f());',
  'assert.throws(() => assert.equal(f(), 2));',
  'assert.equal(1, 1);',
  'expect(true).toBe(true);',
])('an assertion that may not run, or may not fail, does not count: %s', async (body) =>
  expect(await count(body)).toBe(0),
);

test.each([
  ['assert.equal(f(), 2);', 1],
  ['for (const [a, b] of [[1, 2], [2, 3]]) {\n  assert.equal(f(a), b);\n}', 2],
  ['for (let i = 0; i < 3; i++) assert.equal(f(i), i);', 3],
  ['const sum = (a) => {\n  return a;\n};\nassert.equal(sum(1), 1);', 1],
  ['function check(a) {\n  assert.equal(f(a), a);\n}\ncheck(1);\ncheck(2);', 2],
  ['try {\n  assert.equal(f(), 1);\n} finally {\n  close();\n}', 1],
  ['try {\n  assert.equal(f(), 1);\n} catch (error) {\n  throw new Error("a", { cause: error });\n}', 1],
  ['return expect(f()).resolves.toBe(1);', 1],
  ['await assert.rejects(f());', 1],
  ['await Promise.all([1, 2].map(async (a) => { assert.equal(await f(a), a); }));', 2],
  ["const a = x ? 'one' : 'two';\nexpect(f(a)).toBe('two');", 1],
  ['[1, 2].forEach((x) => {\n  expect(f(x)).toBe(x);\n});', 2],
  ['expect(f()).not.toBe(1 as number);\nt.assert.equal(f(), 2);', 2],
  ['if (!f()) throw new Error("none");\nassert.ok(f());', 1],
  ['await t.test("inner", () => { assert.equal(f(), 2); });', 1],
  ['const { equal } = assert;\nequal(f(), 2);', 1],
])('an ordinary test counts completely: %s', async (body, number) => expect(await count(body)).toBe(number));
