import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as sdk from '@klaus/sdk';
import { listExports } from './exports.ts';

const root = join(import.meta.dirname, '../..');
const text = listExports(root);

test('what the SDK exports is what sdk/exports.txt lists; a change on purpose: vitest -u and a line in the changelog', async () => {
  await expect(text).toMatchFileSnapshot(join(root, 'sdk/exports.txt'));
});

test('the values of the list are the values of the module', () => {
  const [own = ''] = text.split('\n\n');
  const values = [...own.matchAll(/^(\w+): .*\b(?:class|const|function)\b/gm)].map(([, name]) => name);
  expect(values).toEqual(Object.keys(sdk).toSorted());
});

test('declarations, lists and re-exported modules are followed, type-only exports as types', () => {
  const tree = mkdtempSync(join(tmpdir(), 'klaus-exports-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  const files = {
    'core/package.json': '{ "name": "@klaus/core", "exports": { "./protocol": "./protocol/index.ts" } }',
    'core/protocol/index.ts': "export * from './unit.ts';\nexport type Money = number;\n",
    'core/protocol/unit.ts': 'export const unit = 1;\nexport type unit = typeof unit;\nexport class Meter {}\n',
    'adapters/package.json': '{ "name": "@klaus/adapters" }',
    'sdk/package.json': '{ "name": "@klaus/sdk", "exports": { ".": "./index.ts", "./own": "./own.ts" } }',
    'sdk/index.ts':
      "export * from '@klaus/core/protocol';\nexport type { Meter as Length } from '@klaus/core/protocol';\n",
    'sdk/own.ts':
      'export async function run(): Promise<void> {}\nexport interface Options { a: 1 }\nfunction hidden() {}\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  }
  expect(listExports(tree)).toBe(
    [
      '# @klaus/sdk\nLength: type\nMeter: class\nMoney: type\nunit: const, type\n',
      '# @klaus/sdk/own\nOptions: interface\nrun: function\n',
    ].join('\n'),
  );
});
