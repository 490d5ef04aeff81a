// Covers adapters/format: which formatter a project configures for a file.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createWorkspace } from '@klaus/adapters/workspace';
import { expect, onTestFinished, test } from 'vitest';
import { findFormatter } from '../../adapters/format/find-formatter.ts';

async function find(path: string, files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-format-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const stateDir = `${root}.state`;
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  return findFormatter(await createWorkspace(root, { stateDir, klausHome: stateDir }), path);
}

const NODE = (name: string): string => JSON.stringify({ devDependencies: { [name]: '1' } });

test.each<[path: string, files: Record<string, string>, name: string | undefined, folder?: string]>([
  ['a.ts', {}, undefined],
  ['a.bin', { '.prettierrc': '' }, undefined],
  ['a.ts', { '.oxfmtrc.json': '{}', '.prettierrc': '' }, 'oxfmt'],
  ['a.ts', { 'prettier.config.mjs': '' }, 'prettier'],
  ['a.ts', { 'package.json': '{"prettier":{}}', 'biome.json': '{}' }, 'prettier'],
  ['a.ts', { 'dprint.json': '{}' }, 'dprint'],
  ['a.css', { 'biome.jsonc': '{}' }, 'biome'],
  ['p/a.ts', { '.prettierrc': '', 'p/biome.json': '{}' }, 'biome', 'p'],
  ['p/q/a.ts', { '.prettierrc': '', 'p/package.json': NODE('oxfmt') }, 'prettier', ''],
  ['p/a.ts', { 'package.json': NODE('prettier'), 'p/eslint.config.js': '' }, 'prettier', ''],
  ['p/a.ts', { 'package.json': NODE('lodash'), 'eslint.config.js': '' }, 'eslint', ''],
  ['a.ts', { 'package.json': '[1, {' }, undefined],
  ['a.css', { 'eslint.config.js': '' }, undefined],
  ['a.py', { 'pyproject.toml': '[project]\nname = "tool.black"\n' }, undefined],
  ['a.py', { 'pyproject.toml': '[tool.ruff]\n[tool.black]\n' }, 'black'],
  ['a.py', { 'pyproject.toml': '[tool.ruff.format]\n[tool.black]\n' }, 'ruff'],
  ['a.py', { 'ruff.toml': 'line-length = 80' }, 'ruff'],
  ['m/a.go', { 'go.mod': 'module a' }, 'gofmt', ''],
  ['a.go', {}, undefined],
  ['m/src/a.rs', { 'Cargo.toml': '[workspace.package]\nedition = "2024"', 'm/Cargo.toml': '[package]' }, 'rustfmt', ''],
  ['a.c', { '.clang-format': '' }, 'clang-format'],
])('the formatter of %s with %j is %s', async (path, files, name, folder) => {
  const found = await find(path, files);
  expect(found?.kind.name).toBe(name);
  if (folder !== undefined) expect(found?.folder).toBe(folder);
});

test('rustfmt gets the edition, and starts where its options are', async () => {
  const files = { 'Cargo.toml': '[package]\nedition = "2018"', 'src/rustfmt.toml': '' };
  const found = await find('src/a.rs', files);
  expect([found?.start, found?.kind.toArguments('src/a.rs', found.config)]).toEqual([
    'src',
    ['--emit', 'stdout', '--edition', '2018'],
  ]);
});

test('programs are searched from the folder of the file up, also if it does not exist yet', async () => {
  const found = await find('p/new/a.ts', { '.prettierrc': '', 'p/a.ts': '' });
  expect(found?.programs).toEqual(['p/new/node_modules/.bin', 'p/node_modules/.bin', 'node_modules/.bin']);
});
