import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { readScan } from './scan-cache.ts';

/** As a program that has just begun. */
async function scan(root: string, home: string): Promise<readonly string[]> {
  vi.resetModules();
  const { scanCredentials } = await import('./credential-scan.ts');
  return scanCredentials(root, home);
}

/** Folders whose times lie far enough back to be trusted. */
function makeTree(root: string): void {
  for (let n = 0; n < 250; n++) mkdirSync(join(root, `lib/p${n}`), { recursive: true });
  writeFileSync(join(root, 'lib/p7/.npmrc'), 'token');
}

afterEach(() => void vi.useRealTimers());
beforeEach(() => void vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] }));

test('what an earlier program found is compared, and what came or went since is known', async () => {
  using place = createSandboxFixture();
  const root = join(place.root, 'tools');
  makeTree(root);
  expect(await scan(root, place.home)).toEqual([join(root, 'lib/p7/.npmrc')]);
  expect(readScan(place.home, root).get(join(root, 'lib/p7'))).toMatchObject({ hits: [join(root, 'lib/p7/.npmrc')] });
  writeFileSync(join(root, 'lib/p200/.npmrc'), 'token');
  renameSync(join(root, 'lib/p7/.npmrc'), join(root, 'lib/p7/harmless'));
  // Programs can set the time of change of what a folder holds, and not when the folder itself was changed.
  utimesSync(join(root, 'lib/p200'), new Date(0), new Date(0));
  expect(await scan(root, place.home)).toEqual([join(root, 'lib/p200/.npmrc')]);
});

test('far from the top it is known within ten minutes', async () => {
  using place = createSandboxFixture();
  const root = join(place.root, 'tools');
  makeTree(root);
  mkdirSync(join(root, 'lib/p1/deep'));
  expect(await scan(root, place.home)).toHaveLength(1);
  writeFileSync(join(root, 'lib/p1/deep/.npmrc'), 'token');
  vi.setSystemTime(Date.now() + 601_000);
  expect(await scan(root, place.home)).toContain(join(root, 'lib/p1/deep/.npmrc'));
});

test('folders that have not changed are not read again', async () => {
  using place = createSandboxFixture();
  const root = join(place.root, 'tools');
  makeTree(root);
  await scan(root, place.home);
  const file = readdirSync(join(place.home, 'cache/scans')).find((name) => !name.includes('summary'));
  const path = join(place.home, 'cache/scans', file!);
  // What is kept is believed for a folder that is as it was: a name that is not there shows it.
  execFileSync('sed', ['-i', 's/"[.]npmrc"/"believed"/', path]);
  vi.setSystemTime(Date.now() + 601_000);
  expect(await scan(root, place.home)).toEqual([join(root, 'lib/p7/believed')]);
  writeFileSync(path, '{"a":');
  vi.setSystemTime(Date.now() + 601_000);
  expect(await scan(root, place.home)).toEqual([join(root, 'lib/p7/.npmrc')]);
});
