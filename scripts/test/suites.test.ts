import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findSupportUse } from './support-imports.ts';
import { readSuites } from './suites.ts';

const ROOT = join(import.meta.dirname, '../..');

function inFolder(files: Record<string, string>, use: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'klaus-suites-'));
  try {
    for (const [path, text] of Object.entries({ 'docs/security.md': '', ...files })) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    use(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('the suites of the security of the kernel run with every change, those of extensions do not', () => {
  const security = new Set(
    readSuites(ROOT)
      .filter(({ isSecurity }) => isSecurity)
      .map(({ file }) => file),
  );
  for (const name of ['attack', 'bypass', 'deny', 'escape', 'exfiltration', 'injection'])
    expect(
      [...security].filter((file) => file.startsWith(`test/${name}/`)),
      name,
    ).not.toEqual([]);
  expect(security).toContain('test/e2e/protected-places.test.ts');
  expect([...security].filter((file) => /^test\/(cluster|web|claude-code|deploy)\//.test(file))).toEqual([]);
});

test('what a suite covers is in its first line, or its folder', () => {
  inFolder(
    {
      'core/a/a.test.ts': '',
      'test/e2e/b.test.ts': '// Covers core/a, sdk: one thing: and another.\n',
      'sdk/index.ts': '',
    },
    (root) => {
      expect(readSuites(root).map(({ file, covers, isUnit }) => ({ file, covers, isUnit }))).toEqual([
        { file: 'core/a/a.test.ts', covers: ['core/a'], isUnit: true },
        { file: 'test/e2e/b.test.ts', covers: ['core/a', 'sdk'], isUnit: false },
      ]);
    },
  );
});

test.each(['import x', '// Covers core/missing: a thing.'])('a suite that begins with %o is an error', (line) => {
  inFolder({ 'test/e2e/b.test.ts': `${line}\n` }, (root) =>
    expect(() => readSuites(root)).toThrow('test/e2e/b.test.ts'),
  );
});

test('a suite uses code for tests that it imports through other such code, in circles too', () => {
  const files = {
    'test/a.test.ts': "import './fixtures/one.ts';",
    'test/b.test.ts': "import '../core/index.ts';",
    'test/fixtures/one.ts': "import './two.ts';",
    'test/fixtures/two.ts': "import './one.ts'; import '../../core/index.ts';",
    'core/index.ts': '',
  };
  inFolder(files, (root) => {
    const uses = findSupportUse(root, new Set(['test/fixtures/two.ts', 'core/index.ts']));
    expect(uses('test/a.test.ts')).toBe(true);
    expect(uses('test/b.test.ts')).toBe(false);
  });
});
