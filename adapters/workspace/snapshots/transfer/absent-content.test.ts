import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from '../fixtures/folder.ts';
import { createSnapshots } from '../create-snapshots.ts';
import { rebuildWorkspace } from './rebuild.ts';

test('a state of which some content is not stored moves to another machine, also after another one', async () => {
  using folder = createFolder();
  folder.write('node_modules/.package-lock.json', '{}');
  folder.write('node_modules/a/index.js', 'a');
  folder.write('src/a.ts', 'one');
  using source = await createSnapshots(folder.root, { stateDir: folder.stateDir, cover: 'sources' });
  const first = await source.snapshot();
  folder.write('src/a.ts', 'two');
  folder.write('node_modules/a/new.js', 'new');
  const second = await source.snapshot();

  using other = createFolder();
  using target = await createSnapshots(other.root, { stateDir: other.stateDir, cover: 'all' });
  await target.unpack(source.pack(first), first);
  await target.unpack(source.pack(second, first), second);
  expect(target.has(second)).toBe(true);
  expect(await target.changes(first, second)).toMatchObject([
    { path: 'node_modules/a/new.js', kind: 'created' },
    { path: 'src/a.ts', kind: 'modified' },
  ]);
  for (const [path, stored] of [
    ['node_modules/a/new.js', false],
    ['src/a.ts', true],
  ] as const)
    expect(target.isStored((await target.entry(second, path))!)).toBe(stored);

  await rebuildWorkspace(target, other.root, { tree: second });
  expect(readFileSync(join(other.root, 'src/a.ts'), 'utf8')).toBe('two');
  expect(existsSync(join(other.root, 'node_modules'))).toBe(false);
  // A complete state is used as it is.
  mkdirSync(join(other.root, 'empty'));
  const complete = await target.snapshot();
  expect(await target.withoutUnstored(complete)).toBe(complete);
});
