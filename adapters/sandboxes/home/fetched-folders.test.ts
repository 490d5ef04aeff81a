import { existsSync, mkdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { dropFetched, noteFetched, toFetched, toProjectFolder } from './fetched-folders.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());

/** Downloads of 10 bytes for a new workspace. */
function fetchFor(name: string, at: Date): { workspace: string; fetched: string } {
  const workspace = join(place.root, name);
  const root = toProjectFolder(realpathSync(place.home), workspace);
  mkdirSync(workspace);
  mkdirSync(join(toFetched(root), 'a/b'), { recursive: true });
  writeFileSync(join(toFetched(root), 'a/b/c'), '0123456789');
  noteFetched(root, workspace);
  utimesSync(join(root, 'fetched-for'), at, at);
  return { workspace, fetched: toFetched(root) };
}

test('downloads for folders that are gone or that nobody used go, and all others stay', () => {
  const old = new Date(1_000_000);
  const [used, unused, gone, young] = [
    fetchFor('used', old),
    fetchFor('unused', old),
    fetchFor('gone', new Date()),
    fetchFor('young', new Date()),
  ];
  rmSync(gone.workspace, { recursive: true });
  const since = Date.now() - 1_000_000;
  const stay = (): boolean[] => [used, unused, gone, young].map(({ fetched }) => existsSync(fetched));
  expect(dropFetched(place.home, { needed: [used.workspace], since, dryRun: true })).toBe(20);
  expect(stay()).toEqual([true, true, true, true]);
  expect(dropFetched(place.home, { needed: [used.workspace], since, dryRun: false })).toBe(20);
  expect(stay()).toEqual([true, false, false, true]);
  expect(dropFetched(place.home, { needed: [used.workspace], since, dryRun: false })).toBe(0);
});
