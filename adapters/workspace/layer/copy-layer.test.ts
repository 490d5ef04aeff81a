import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayers } from './create-layers.ts';
import { createLayerFixture, describeTree, type LayerFixture } from './layer.fixture.ts';

/** File modes apply to root without capabilities as to any other user. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];

let place: LayerFixture;
beforeEach(() => {
  place = createLayerFixture();
});
afterEach(async () => {
  await place.layers.clear();
  await place.remove();
});

describe('copies', () => {
  const open = () => place.layers.open({ kind: 'copy' });

  test('the next one has changes of the user and none of the last command', async () => {
    place.sh(
      place.root,
      'mkdir -p a/b c; for i in 1 2 3 4 5 6; do echo $i > a/b/$i; done; echo k > c/k; ln -s c l; touch -d 2001-01-01 a/b/*',
    );
    const first = await open();
    place.sh(
      first.folder,
      `echo X > a/b/1; touch -d 2001-01-01 a/b/1; rm a/b/2; echo new > a/b/new; chmod 000 a/b/3; rm -r c; ln -s a c
       rm l; mkdir l; mkdir -p left/over; chmod 555 left; mv a/b/4 a/b/44; mkfifo pipe; ln a/b/5 a/b/55`,
    );
    await first.close();
    place.sh(place.root, 'echo Y > a/b/6; touch -d 2001-01-01 a/b/6; mkdir u; echo u > u/u; rm a/b/5; chmod 700 a/b');
    const second = await open();
    expect(describeTree(second.folder)).toBe(describeTree(place.root));
    expect(await second.touched()).toEqual({ paths: [], git: false });
    await second.close();
  });

  test('only changed files are copied again', async () => {
    // Files that are older than the resolution of file times, and that no test changes.
    const root = join(import.meta.dirname, '../../../node_modules/diff');
    const layers = createLayers(root, { stateDir: place.stateDir });
    const first = await layers.open({ kind: 'copy' });
    const changed = () =>
      readdirSync(first.folder).map((name) => lstatSync(join(first.folder, name), { bigint: true }));
    const before = new Map(changed().map(({ ino, ctimeNs }) => [ino, ctimeNs]));
    writeFileSync(join(first.folder, 'LICENSE'), 'mine');
    const license = lstatSync(join(first.folder, 'LICENSE'), { bigint: true }).ctimeNs;
    await first.close();
    const second = await layers.open({ kind: 'copy' });
    for (const name of ['package.json', 'README.md']) {
      const stat = lstatSync(join(second.folder, name), { bigint: true });
      expect(before.get(stat.ino)).toBe(stat.ctimeNs);
    }
    expect(lstatSync(join(second.folder, 'LICENSE'), { bigint: true }).ctimeNs).toBeGreaterThan(license);
    expect(describeTree(second.folder)).toBe(describeTree(root));
    await second.close();
    await layers.clear();
  });

  test('names that are replaced by links during the copy are not followed', async () => {
    const outside = join(place.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'f'), 'SECRET');
    place.sh(place.root, 'mkdir d; echo inside > d/f; echo inside > f');
    const flip = `
      const fs = require('node:fs');
      const [outside] = process.argv.slice(1);
      for (;;) {
        fs.renameSync('d', 'd2'); fs.symlinkSync(outside, 'd'); fs.unlinkSync('d'); fs.renameSync('d2', 'd');
        fs.renameSync('f', 'f2'); fs.symlinkSync(outside + '/f', 'f'); fs.unlinkSync('f'); fs.renameSync('f2', 'f');
      }`;
    const flipper = spawn(process.execPath, ['-e', flip, outside], { cwd: place.root, stdio: 'ignore' });
    const over = once(flipper, 'exit');
    try {
      const seen = new Set<string>();
      for (let i = 0; i < 150; i++) {
        const layer = await open();
        for (const name of ['d/f', 'd2/f', 'f', 'f2']) seen.add(readUnlinked(layer.folder, name));
        await layer.close();
      }
      expect(seen).toContain('inside\n');
      expect(seen).not.toContain('SECRET');
    } finally {
      flipper.kill();
      await over;
    }
  });

  test('a link that the last command planted is not written through', async () => {
    const outside = join(place.base, 'outside');
    mkdirSync(outside);
    place.sh(place.root, 'mkdir d; echo 1 > d/1; echo 2 > f');
    const layer = await open();
    place.sh(layer.folder, 'rm -r d f');
    symlinkSync(outside, join(layer.folder, 'd'));
    symlinkSync(join(outside, 'f'), join(layer.folder, 'f'));
    await layer.close();
    await (await open()).close();
    expect(readdirSync(outside)).toEqual([]);
  });

  test('are refused when the disk is full, and are removed', async () => {
    writeFileSync(join(place.root, 'f'), '1');
    const layers = createLayers(place.root, { stateDir: place.stateDir, reserveBytes: 2 ** 60 });
    await expect(layers.open({ kind: 'copy' })).rejects.toMatchObject({
      code: 'sandbox.unavailable',
      message: expect.stringContaining(place.stateDir),
      hint: expect.stringContaining('KLAUS_HOME'),
    });
    expect(readdirSync(place.stateDir)).toEqual([]);
  });

  test('can be cancelled', async () => {
    writeFileSync(join(place.root, 'f'), '1');
    await expect(place.layers.open({ kind: 'copy', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const layer = await open();
    expect(readdirSync(layer.folder)).toEqual(['f']);
    await layer.close();
  });

  test('clear removes the stored copy', async () => {
    writeFileSync(join(place.root, 'f'), '1');
    await (await open()).close();
    expect(readdirSync(place.stateDir)).toHaveLength(1);
    await place.layers.clear();
    expect(readdirSync(place.stateDir)).toEqual([]);
  });
});

/** Content of a file whose path has no link; otherwise ''. */
function readUnlinked(folder: string, path: string): string {
  const parts = path.split('/').map((_, at, all) => join(folder, ...all.slice(0, at + 1)));
  if (parts.some((part) => lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink() ?? true)) return '';
  return readFileSync(join(folder, path), 'utf8');
}

test('a folder without permissions is still searched, and keeps its mode', () => {
  const script = join(import.meta.dirname, 'closed-folder.fixture.ts');
  const [program, ...args] = [...AS_USER, process.execPath, script];
  const { stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ paths: ['closed'], mode: 0 });
});
