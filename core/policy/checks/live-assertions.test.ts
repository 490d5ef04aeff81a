import { describe, expect, test } from 'vitest';
import { countLiveAssertions } from './live-assertions.ts';

const js = (body: string): number => countLiveAssertions(`test('adds', () => {\n${body}\n});\n`, 'a.test.js');
const py = (body: string): number =>
  countLiveAssertions(`def test_adds():\n${body.replace(/^/gm, '    ')}\n`, 'test_a.py');

describe('assertions that do not always run are not counted', () => {
  test.each([
    'return;\nassert.equal(1, 2);',
    'return\nassert.equal(1, 2)',
    'if (process.env.CI) return;\nif (0) assert.equal(1, 2);',
    'if (0) { assert.equal(1, 2); }',
    'if (x > 9) {\n  if (true) { assert.equal(1, 2); }\n}',
    'false && assert.equal(1, 2);',
    'try { assert.equal(1, 2); } catch {}',
    'try {\n  assert.equal(1, 2);\n} catch (error) {\n  console.log(error);\n}',
    'if (skip) return;\nassert.equal(1, 2);',
    'if (true) {\n  return;\n}\nassert.equal(1, 2);',
    'while (false) { assert.equal(1, 2); }',
    'for (const x of []) { assert.equal(x, 2); }',
    'process.exit(0);\nassert.equal(1, 2);',
    '// assert.equal(1, 2);',
    'const text = "assert.equal(1, 2)";',
    'ok ? assert.equal(1, 2) : undefined;',
    'if (ready)\n  assert.equal(1, 2);',
  ])('in JavaScript: %s', (body) => expect(js(body)).toBe(0));

  test.each([
    'return\nassert 1 == 2',
    'if x: return\nassert 1 == 2',
    'if x:\n    return\nassert 1 == 2',
    'if False:\n    assert 1 == 2',
    'try:\n    assert 1 == 2\nexcept Exception:\n    pass',
    'for x in []:\n    assert x',
  ])('in Python: %s', (body) => expect(py(body)).toBe(0));

  test('in Go, a constant condition', () => {
    expect(
      countLiveAssertions('func TestA(t *testing.T) {\n if false {\n  assert.Equal(t, 1, 2)\n }\n}\n', 'a_test.go'),
    ).toBe(0);
  });
});

describe('ordinary tests count completely', () => {
  test.each([
    ['assert.equal(1, 2);', 1],
    ['for (const [a, b] of [[1, 2]]) {\n  assert.equal(a, b);\n}', 1],
    ['const sum = (a) => {\n  return a;\n};\nassert.equal(sum(1), 1);', 1],
    ['function sum(a) {\n  if (a) return 1;\n  return 2;\n}\nassert.equal(sum(1), 1);', 1],
    ['try {\n  run();\n  assert.fail();\n} catch (error) {\n  assert.equal(error.code, 1);\n}', 2],
    ['return expect(run()).resolves.toBe(1);', 1],
    ["const a = x ? 'one' : 'two';\nexpect(a).toBe('two');", 1],
    ['[1, 2].forEach((x) => {\n  expect(x).toBe(x);\n});', 1],
    ['expect(\n  list.map((x) => {\n    return x;\n  }),\n).toEqual([1]);\nexpect(2).toBe(2);', 2],
    ['expect("a".replace(/[{}"]/g, "")).toBe("a");\nexpect(1).toBe(1);', 2],
  ])('in JavaScript: %s', (body, count) => expect(js(body)).toBe(count));

  test.each([
    ['assert 1 == 1', 1],
    ['with open("a") as f:\n    assert f', 1],
    ['for x in [1]:\n    assert x\nassert 2', 2],
    ['def inner():\n    return 1\nassert inner() == 1', 1],
  ])('in Python: %s', (body, count) => expect(py(body)).toBe(count));
});
