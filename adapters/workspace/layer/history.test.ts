import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayerFixture, describeTree, overlayObstacle, type LayerFixture } from './layer.fixture.ts';

const NAMES = ['a', 'b', 'c', 'd', 'ä b', '-x', '.h'];

let place: LayerFixture;
beforeEach(() => {
  place = createLayerFixture();
});
afterEach(async () => {
  await place.layers.clear();
  await place.remove();
});

/** Numbers from 0 to below 1, the same for the same seed. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Anybody else could not look into folders without the right to. */
const IS_ROOT = process.getuid?.() === 0;

/** Everything below a folder. By hand, because `readdir` with `recursive` goes through links, and out of the folder. */
function list(folder: string): { path: string; kind: 'folder' | 'file' | 'link' }[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return [{ path, kind: 'link' as const }];
    if (!stat.isDirectory()) return [{ path, kind: 'file' as const }];
    return [{ path, kind: 'folder' as const }, ...list(path)];
  });
}

/**
 * One random change below a folder. What does not fit where it falls, such as a folder into itself, is no
 * change. Links name a sibling, so that nothing written through one leaves the folder.
 */
function change(folder: string, chance: () => number): void {
  const pick = <T>(from: readonly T[]) => from[Math.floor(chance() * from.length)]!;
  const all = list(folder);
  const folders = [folder, ...all.filter(({ kind }) => kind === 'folder').map(({ path }) => path)];
  const fresh = () => join(pick(folders), pick(NAMES));
  const old = all.length > 0 ? pick(all) : undefined;
  const creations = [
    () => writeFileSync(fresh(), `${chance()}`),
    () => mkdirSync(fresh()),
    () => symlinkSync(pick(NAMES), fresh()),
  ];
  const changes = old && [
    () => rmSync(old.path, { recursive: true }),
    () => renameSync(old.path, fresh()),
    () => renameSync(old.path, pick(all).path),
  ];
  const edits = old && [
    () => appendFileSync(old.path, 'more'),
    () =>
      chmodSync(
        old.path,
        pick(old.kind === 'folder' && !IS_ROOT ? [0o755, 0o700, 0o750] : [0o755, 0o700, 0o644, 0o400]),
      ),
    () => linkSync(old.path, fresh()),
    () => {
      const { size, atime, mtime } = lstatSync(old.path);
      writeFileSync(old.path, 'y'.repeat(size));
      utimesSync(old.path, atime, mtime);
    },
    () => {
      rmSync(old.path, { recursive: true });
      mkdirSync(old.path);
      writeFileSync(join(old.path, 'a'), 'again');
    },
  ];
  try {
    pick([...creations, ...(changes ?? []), ...(old?.kind === 'link' ? [] : (edits ?? []))])();
  } catch (error) {
    // Only the system's own "does not fit": anything else is a fault of this test.
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
  }
}

/** Paths at which two folders differ, by the tools of the system. */
function differences(a: string, b: string): string[] {
  const rows = (folder: string) => new Set(describeTree(folder).split('\n'));
  const [left, right] = [rows(a), rows(b)];
  const lines = [...[...left].filter((line) => !right.has(line)), ...[...right].filter((line) => !left.has(line))];
  // A row of the list, or one of sha256sum with its `./`.
  const paths = lines.map((line) => (line.includes('\t') ? line.split('\t')[0]! : line.slice(68)));
  return [...new Set(paths)].map((path) => Buffer.from(path, 'latin1').toString('utf8'));
}

describe.each(['overlay', 'copy'] as const)('%s', (kind) => {
  beforeEach((context) => {
    if (kind === 'overlay') context.skip(overlayObstacle() !== undefined, overlayObstacle());
  });

  test('whatever the user and then a command do, nothing that differs is missed', async () => {
    let differing = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const chance = createChance(seed);
      for (let i = 0; i < 8; i++) change(place.root, chance);
      const before = describeTree(place.root);
      const layer = await place.layers.open({ kind });
      expect(describeTree(layer.folder), `seed ${seed}`).toBe(before);
      for (let i = 0; i < 8; i++) change(layer.folder, chance);
      const { paths } = await layer.touched();
      for (const path of differences(place.root, layer.folder)) {
        const isNamed = paths.some((named) => path === named || path.startsWith(`${named}/`));
        expect(isNamed, `seed ${seed}: ${path} is not in ${paths.join(', ')}`).toBe(true);
        differing++;
      }
      await layer.close();
      expect(describeTree(place.root), `seed ${seed}`).toBe(before);
    }
    expect(differing).toBeGreaterThan(100);
  });
});
