import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const tree = mkdtempSync(join(tmpdir(), 'klaus-lint-'));
for (const name of ['.oxlintrc.json', 'tsconfig.base.json']) copyFileSync(join(root, name), join(tree, name));
writeFileSync(join(tree, 'tsconfig.json'), '{ "extends": "./tsconfig.base.json", "include": ["**/*.ts"] }');
symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));

afterAll(() => rmSync(tree, { recursive: true }));

/** Rules broken by `code`, as oxlint names them. */
function lint(path: string, code: string): string[] {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format=json', path], {
    cwd: tree,
    encoding: 'utf8',
  });
  const { diagnostics }: { diagnostics: { code: string }[] } = JSON.parse(stdout);
  return [...new Set(diagnostics.map((it) => it.code))];
}

test.for([
  ['sdk/a.ts', 'export function run(work: () => Promise<void>) {\n  work();\n}\n', 'typescript(no-floating-promises)'],
  ['sdk/b.ts', 'export const value: any = 1;\n', 'typescript(no-explicit-any)'],
  ['sdk/c.ts', 'export default 1;\n', 'import(no-default-export)'],
  ['sdk/d.ts', 'export const f = (a: 1, b: 1, c: 1, d: 1) => [a, b, c, d];\n', 'eslint(max-params)'],
  ['sdk/e.ts', `${'export {};\n'.repeat(401)}`, 'eslint(max-lines)'],
  ['core/agent/a.ts', 'export const now = () => Date.now();\n', 'eslint(no-restricted-globals)'],
  ['core/agent/b.ts', 'export const chance = () => Math.random();\n', 'eslint(no-restricted-properties)'],
  ['core/agent/c.ts', 'console.log(1);\n', 'eslint(no-console)'],
] as const)('$2 is found in $0', ([path, code, rule]) => {
  expect(lint(path, code)).toContain(rule);
});

test('clean code breaks nothing', () => {
  expect(lint('core/agent/clean.ts', 'export const add = (a: number, b: number): number => a + b;\n')).toEqual([]);
});
