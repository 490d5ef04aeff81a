import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSource } from '../server/read-source.ts';
import { toFingerprint } from './fingerprint.ts';
import { isUserFile, parseStack } from './parse-stack.ts';
import { toFrames } from './to-frames.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-stack-'));
afterAll(() => rmSync(folder, { recursive: true }));
const requireFrom = createRequire(join(folder, 'x.js'));

function failIn(file: string): unknown {
  try {
    (requireFrom(file) as { fail: () => void }).fail();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

test.each([
  ['at run (file:///a/b.mjs?v=1:3:7)', { filePath: '/a/b.mjs', line: 3, column: 7, functionName: 'run' }],
  [
    'at async Service.run (file:///a/b%20c.ts:3:7)',
    { filePath: '/a/b c.ts', functionName: 'Service.run', isAsync: true },
  ],
  ['at Object.<anonymous> (/a/b.cjs:3:7)', { filePath: '/a/b.cjs', functionName: 'Object.<anonymous>' }],
  ['at /a/b.js:3:7', { filePath: '/a/b.js', line: 3 }],
  ['at new Point (/a/(odd) b.js:3:7)', { filePath: '/a/(odd) b.js', functionName: 'new Point' }],
  ['at Foo.bar [as baz] (/a/b.js:3:7)', { functionName: 'Foo.bar' }],
  ['at eval (eval at run (/a/b.js:5:3), <anonymous>:1:7)', { filePath: '/a/b.js', line: 5, functionName: 'eval' }],
  ['at node:internal/process/task_queues:105:5', { filePath: 'node:internal/process/task_queues', line: 105 }],
  ['at async Promise.all (index 0)', undefined],
  ['at Array.map (<anonymous>)', undefined],
])('%s', (line, expected) => {
  const [frame] = parseStack(`Error: at first (a)\n    ${line}`);
  if (expected) expect(frame).toMatchObject(expected);
  else expect(frame).toBeUndefined();
});

test('code of packages and of the runtime is not of the user', () => {
  expect(isUserFile('/a/src/b.ts')).toBe(true);
  expect(isUserFile('/a/node_modules/b/c.js')).toBe(false);
  expect(isUserFile('node:fs')).toBe(false);
});

test.each(['inline', 'external'])('a bundle with an %s source map', (kind) => {
  // Each generated line is the line 10 lines further on in the source.
  const map = {
    version: 3,
    sources: [`src/${kind}.ts`],
    sourcesContent: [`${'\n'.repeat(10)}the text of ${kind}\n`],
    names: [],
    mappings: 'AAUA;AACA;AACA',
  };
  const file = join(folder, `${kind}.js`);
  const json = JSON.stringify(map);
  const url =
    kind === 'inline' ? `data:application/json;base64,${Buffer.from(json).toString('base64')}` : `${kind}.js.map`;
  writeFileSync(`${file}.map`, json);
  writeFileSync(file, `exports.fail = function fail() {\nnull.x;\n};\n//# sourceMappingURL=${url}\n`);
  const frame = toFrames(failIn(file))[0]?.frame;
  const source = join(folder, `src/${kind}.ts`);
  expect(frame).toMatchObject({ filePath: source, line: 12, isUser: true });
  expect(readSource(source, 11, 0).text).toBe(`the text of ${kind}`);
});

test('a broken source map is none', () => {
  const file = join(folder, 'broken.js');
  writeFileSync(file, 'exports.fail = function fail() { null.x; };\n//# sourceMappingURL=nothing.map\n');
  expect(toFrames(failIn(file))[0]?.frame).toMatchObject({ filePath: file, line: 1 });
});

test('the fingerprint depends on the cause, not on values', () => {
  const make = (message: string, code?: string): Error => Object.assign(new Error(message), code ? { code } : {});
  const [a, b, c, d] = ['user 17 at /a/b', 'user 4 at /c/d', 'order 17', 'user 17 at /a/b'].map((message, index) =>
    make(message, index === 3 ? 'E_X' : undefined),
  );
  expect(toFingerprint(a)).toMatch(/^[0-9a-f]{16}$/);
  expect(toFingerprint(a)).toBe(toFingerprint(b));
  expect(toFingerprint(a)).not.toBe(toFingerprint(c));
  expect(toFingerprint(a)).not.toBe(toFingerprint(d));
  expect(toFingerprint('a text')).toMatch(/^[0-9a-f]{16}$/);
  expect(toFingerprint(undefined)).toMatch(/^[0-9a-f]{16}$/);
});
