import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findLockGaps, findVersionSplits } from './versions.ts';

function createTree(manifests: Record<string, object>): string {
  const root = mkdtempSync(join(tmpdir(), 'klaus-versions-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [folder, manifest] of Object.entries(manifests)) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify(manifest));
  }
  return root;
}

test('two versions, a range and a stale own version are each named with their place', () => {
  const root = createTree({
    '.': { name: 'all', version: '1.0.0', workspaces: ['a', 'b'], devDependencies: { diff: '^9.0.0' } },
    a: { name: 'a', version: '1.0.0', dependencies: { zod: '4.6.7', b: '0.9.0' } },
    b: { name: 'b', version: '1.0.0', peerDependencies: { zod: '4.6.8' } },
  });
  expect(findVersionSplits(root)).toEqual([
    '. asks for diff ^9.0.0: pin it exactly',
    'a asks for b 0.9.0, a for 1.0.0',
    'b asks for zod 4.6.8, a for 4.6.7',
  ]);
});

test('equal exact versions pass', () => {
  const root = createTree({
    '.': { name: 'all', version: '1.0.0', workspaces: ['a'], dependencies: { zod: '4.6.7' } },
    a: { name: 'a', version: '1.0.0', dependencies: { zod: '4.6.7' } },
  });
  expect(findVersionSplits(root)).toEqual([]);
});

test('a lock file with an address, or without a dependency that it names, is refused', () => {
  const packages = {
    '': { devDependencies: { lint: '1.0.0' } },
    'node_modules/lint': { optionalDependencies: { 'lint-linux': '1.0.0', 'lint-mac': '1.0.0' } },
    'node_modules/lint/node_modules/lint-linux': { resolved: 'https://packages.example/lint-linux.tgz' },
    a: { dependencies: { lint: '1.0.0' }, devDependencies: { gone: '1.0.0' } },
    'node_modules/a': { resolved: 'a', link: true },
  };
  expect(findLockGaps({ packages })).toEqual([
    'node_modules/lint needs lint-mac, which the lock file does not hold',
    'node_modules/lint/node_modules/lint-linux names an address: https://packages.example/lint-linux.tgz',
    'a needs gone, which the lock file does not hold',
  ]);
});
