// Covers adapters/workspace/snapshots: undo of every kind of change.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSnapshots } from '@klaus/adapters/workspace';
import { compareImages, readImage } from './image.ts';

/** One command, eight kinds of change. */
const COMMAND = `
echo edited >> tracked.txt
rm untracked.txt
echo appended >> ignored.log
head -c 3000000 /dev/urandom > large.bin
mkdir -p new/folder && echo inside > new/folder/file
rm tracked-too.txt
chmod 755 script.sh
ln -sfn elsewhere link
`;
const PATHS = [
  'ignored.log',
  'large.bin',
  'link',
  'new',
  'new/folder',
  'new/folder/file',
  'script.sh',
  'tracked-too.txt',
  'tracked.txt',
  'untracked.txt',
];

for (const where of ['in a Git repository', 'without Git']) {
  test(`eight kinds of change by one command are undone, ${where}`, async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-eight-')));
    const root = join(base, 'workspace');
    mkdirSync(root);
    try {
      for (const name of ['tracked.txt', 'tracked-too.txt', 'untracked.txt', 'ignored.log', 'script.sh']) {
        writeFileSync(join(root, name), `${name}\n`);
      }
      chmodSync(join(root, 'script.sh'), 0o644);
      symlinkSync('tracked.txt', join(root, 'link'));
      mkdirSync(join(root, 'empty'));
      writeFileSync(join(root, '.gitignore'), 'ignored.log\n');
      if (where === 'in a Git repository') {
        const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'pipe' });
        git('init', '-q');
        git('add', '.gitignore', 'tracked.txt', 'tracked-too.txt', 'script.sh', 'link');
        git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
      }
      using snapshots = await createSnapshots(root, { stateDir: join(base, 'snapshots') });
      const before = await snapshots.snapshot();
      const image = readImage(root);
      expect(spawnSync('sh', ['-c', COMMAND], { cwd: root }).status).toBe(0);
      const after = await snapshots.snapshot();
      const changed = readImage(root);
      expect((await snapshots.changes(before, after)).map(({ path }) => path)).toEqual(PATHS);
      expect(await snapshots.apply(await snapshots.changes(after, before))).toMatchObject({ applied: true });
      expect(compareImages(readImage(root), image)).toEqual([]);
      expect(await snapshots.apply(await snapshots.changes(before, after))).toMatchObject({ applied: true });
      expect(compareImages(readImage(root), changed)).toEqual([]);
      const [repository] = snapshots.git(before);
      if (where === 'without Git') expect(repository).toBeUndefined();
      else expect(repository).toMatchObject({ path: '', head: expect.stringContaining('ref: refs/heads/') });
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
}
