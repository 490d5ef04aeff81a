import { expect, test } from 'vitest';
import { toChangedFile } from '../changes/parse-diff.ts';
import { validateIntent } from './validate-intent.ts';

const decide = (request: string, ...files: [path: string, before: string | undefined, after: string][]) =>
  validateIntent.decide({
    request: [request],
    changes: files.map(([path, before, after]) => toChangedFile(path, before, after)),
  })?.outcome;

test('without changes, and with a change that names cannot cover, the model decides', () => {
  expect(decide('Fix the crash.')).toBeUndefined();
  expect(decide('Fix the crash.', ['a.ts', 'f(a);\n', 'if (a) f(a);\n'])).toBeUndefined();
});

test('exactly what the request names passes, and more does not', () => {
  const raise = ['a.py', 'LIMIT = 1\n', 'LIMIT = 5\n'] as const;
  expect(decide('Set `LIMIT` to 5 in a.py.', [...raise])).toBe('pass');
  expect(decide('Set `LIMIT` to 6 in a.py.', [...raise])).toBeUndefined();
  expect(decide('Set `LIMIT` to 5 in a.py and document it in b.md.', [...raise])).toBeUndefined();
  expect(decide('Set `LIMIT` to 5 in a.py.', [...raise], ['NOTES.md', undefined, '# Notes\n'])).toBe('deny');
});
