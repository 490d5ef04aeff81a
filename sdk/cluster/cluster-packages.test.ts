import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClusterPackages, CLUSTER_PACKAGES } from './cluster-packages.ts';

const root = join(import.meta.dirname, '../..');

test('the versions are those of the tests', () => {
  const manifest = readFileSync(join(root, 'adapters/package.json'), 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  expect(devDependencies).toMatchObject(CLUSTER_PACKAGES);
});

test('all missing packages are named with the command that installs them', () => {
  checkClusterPackages();
  const names = Object.entries(CLUSTER_PACKAGES).map((each) => each.join('@'));
  expect(() => checkClusterPackages(createRequire('/nowhere/klaus.cjs'))).toThrow(
    expect.objectContaining({
      code: 'config',
      hint: expect.stringContaining(`npm install --global ${names.join(' ')}`),
    }),
  );
});
