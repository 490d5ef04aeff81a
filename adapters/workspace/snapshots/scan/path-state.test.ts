import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSnapshots } from '../../index.ts';
import { createFolder } from '../fixtures/folder.ts';

const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

// Root reads every file.
beforeAll(() => {
  if (isRoot) process.seteuid?.(UNPRIVILEGED);
});
afterAll(() => {
  if (isRoot) process.seteuid?.(0);
});

test('an unchanged file that is not readable any more keeps its content in a snapshot of its path', async () => {
  using folder = createFolder();
  folder.write('file', 'content');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  const known = await snapshots.entry(before, 'file');
  chmodSync(join(folder.root, 'file'), 0);
  const after = await snapshots.snapshot({ only: { base: before, paths: ['file'] } });
  expect(await snapshots.entry(after, 'file')).toEqual({ ...known, mode: 0 });
  expect(snapshots.uncovered(after)).toEqual([]);
});
