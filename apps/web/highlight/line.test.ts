import { common, createLowlight } from 'lowlight';
import { expect, test } from 'vitest';
import { toLanguage, toLines, type Node } from './line.ts';

test('lines contain every character of the code', () => {
  const code = '/* two\n   lines */\nconst a = `x ${1 + 1}\n`;\n\nexport { a };';
  const lines = toLines(createLowlight(common).highlight('typescript', code).children as readonly Node[]);
  expect(lines.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(code);
  expect(lines[0]).toEqual([{ kind: 'comment', text: '/* two' }]);
  expect(lines[1]).toEqual([{ kind: 'comment', text: '   lines */' }]);
});

test('languages are found by fence and by file name', () => {
  expect(toLanguage('ts')).toBe('typescript');
  expect(toLanguage('typescript title="a"')).toBe('typescript');
  expect(toLanguage('src/deep/Makefile')).toBe('makefile');
  expect(toLanguage('a.test.tsx')).toBe('typescript');
  expect(toLanguage('unknown.xyz')).toBe('');
  const lowlight = createLowlight(common);
  for (const name of ['ts', 'py', 'rs', 'yml', 'toml', 'md', 'html', 'cs', 'kt', 'sh', 'm', 'vb']) {
    expect(lowlight.registered(toLanguage(name)), name).toBe(true);
  }
});
