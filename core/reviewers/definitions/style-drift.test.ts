import { expect, test } from 'vitest';
import { toChangedFile } from '../changes/parse-diff.ts';
import { styleDrift } from './style-drift.ts';

const decide = (path: string, before: string, after: string, request = 'Fix the crash.') =>
  styleDrift.decide({ request: [request], changes: [toChangedFile(path, before, after)] })?.outcome;

test.each([
  ['a.ts', "const a = 'x';\n", 'const a = "x";\n'],
  ['a.ts', 'const a = 1;\n', 'const a = 1\n'],
  ['a.py', 'f(a, b)\n', 'f(\n    a,\n    b,\n)\n'],
  ['a.go', 'x := 1\nuse(x)\n', 'count := 1\nuse(count)\n'],
  ['a.py', 'import os\nimport sys\n', 'import sys\nimport os\n'],
])('%s: only the style of %j changed', (path, before, after) => {
  expect(decide(path, before, after)).toBe('deny');
});

test.each([
  // A tuple, a comment that a tool obeys, an indentation with a meaning, a character and a string.
  ['a.py', 'x = (1,)\n', 'x = (1)\n'],
  ['a.ts', '// @ts-ignore\nf();\n', 'f();\n'],
  ['a.py', 'if a:\n    b()\n    c()\n', 'if a:\n    b()\nc()\n'],
  ['a.rs', "f('a')\n", 'f("a")\n'],
  ['a.sh', "echo '$x'\n", 'echo "$x"\n'],
  ['a.yaml', 'a: "yes"\n', 'a: yes\n'],
  ['a.js', 'return a\n;[1].map(f)\n', 'return a\n[1].map(f)\n'],
])('%s: %j is not the same in another style', (path, before, after) => {
  expect(decide(path, before, after)).not.toBe('deny');
});

test('a request for the style lets it pass, and its negation does not', () => {
  const edit = ['a.ts', "const a = 'x';\n", 'const a = "x";\n'] as const;
  expect(decide(...edit, 'Use double quotes.')).toBe('pass');
  expect(decide(...edit, 'Fix the crash without changing the formatting.')).toBe('deny');
  expect(decide(...edit, 'Refactor the module.')).toBeUndefined();
});

test.each(['Stelle bitte alle Anführungszeichen um.', 'Cambia las comillas.', '引用符を変えてください'])(
  'the rules do not decide what is asked for in another language: %s',
  (request) => {
    expect(decide('a.ts', "const a = 'x';\n", 'const a = "x";\n', request)).toBeUndefined();
  },
);
