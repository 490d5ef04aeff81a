import { common, createLowlight } from 'lowlight';
import { expect, test } from 'vitest';
import { toLanguage, toCodeLines, type SyntaxNode } from '@klaus/core/conversation';

test('lines contain every character of the code', () => {
  const code = '/* two\n   lines */\nconst a = `x ${1 + 1}\n`;\n\nexport { a };';
  const lines = toCodeLines(createLowlight(common).highlight('typescript', code).children as readonly SyntaxNode[]);
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
