import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFolder, type Folder } from '../fixtures/folder.ts';
import { createSnapshots } from '../create-snapshots.ts';
import type { LocalSnapshots } from '../local-snapshots.ts';

const TAG = 'Signature: 8a477f597d28d172789f06886806bc55\n';
const FOLDERS = ['a', 'b', 'a/c', 'b/c', 'a/c/d', 'node_modules', 'a/node_modules'];
const RUNS = 15;
const STEPS = 14;
/** Milliseconds after which the garbage collection removes what nothing needs. */
const HOURS = 7_200_000;

/** Younger files are read again by each scan. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 }));
afterEach(() => void vi.useRealTimers());

/** Numbers that depend on the seed alone. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** One random change; an impossible one is skipped. */
function change({ root }: Folder, random: (below: number) => number): void {
  const some = (): string => join(root, FOLDERS[random(FOLDERS.length)]!);
  const acts = [
    () => (mkdirSync(some(), { recursive: true }), undefined),
    () => writeFileSync(join(some(), `f${random(3)}`), `content ${random(1_000)} of a file\n`),
    () => writeFileSync(join(some(), `f${random(3)}`), `content ${random(1_000)} of a file\n`),
    () => writeFileSync(join(some(), 'CACHEDIR.TAG'), TAG),
    () => writeFileSync(join(some(), '.package-lock.json'), '{}'),
    () => rmSync(join(some(), ['CACHEDIR.TAG', '.package-lock.json'][random(2)]!)),
    () => rmSync(some(), { recursive: true }),
    () => renameSync(some(), some()),
    () => mkdirSync(join(some(), '.git')),
    () => rmSync(join(some(), '.git'), { recursive: true }),
  ];
  try {
    acts[random(acts.length)]!();
  } catch {
    // It is not there, or something else is.
  }
}

/** Every entry below the root, without Git data, by path. */
function* walk(root: string, path = ''): Generator<{ path: string; isFolder: boolean }> {
  for (const name of readdirSync(join(root, path))) {
    if (name === '.git') continue;
    const inner = path === '' ? name : `${path}/${name}`;
    const isFolder = lstatSync(join(root, inner)).isDirectory();
    yield { path: inner, isFolder };
    if (isFolder) yield* walk(root, inner);
  }
}

const isMarked = (folder: string): boolean =>
  readdirSync(folder).some(
    (name) => name === 'CACHEDIR.TAG' || (name === '.package-lock.json' && folder.endsWith('/node_modules')),
  );

/** Checks a state of the present workspace. @param own The folders that were seen without a marker. */
async function check(folder: Folder, snapshots: LocalSnapshots, own: Set<string>): Promise<void> {
  const tree = await snapshots.snapshot();
  const active = snapshots.toolFolders().flatMap(({ path, isActive }) => (isActive ? [path] : []));
  const isInside = (path: string): boolean => active.some((tool) => path.startsWith(`${tool}/`));
  expect(active.filter((path) => own.has(path))).toEqual([]);
  for (const { path, isFolder } of walk(folder.root)) {
    const at = join(folder.root, path);
    if (isFolder) {
      if (!active.includes(path) && !isInside(path) && !isMarked(at) && readdirSync(at).some((it) => it !== '.git'))
        own.add(path);
      continue;
    }
    const entry = (await snapshots.entry(tree, path))!;
    if (!snapshots.isStored(entry)) expect([path, isInside(path)]).toEqual([path, true]);
    else expect(Buffer.from(await snapshots.content(entry))).toEqual(readFileSync(at));
  }
}

test('content outside of the folders of tools is always stored, and no folder of the user becomes one', async () => {
  let listed = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    using folder = createFolder();
    const random = createRandom(seed);
    const own = new Set<string>();
    let snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir, cover: 'sources' });
    try {
      for (let step = 0; step < STEPS; step++) {
        for (let count = 1 + random(6); count > 0; count--) change(folder, random);
        await check(folder, snapshots, own);
        listed += snapshots.toolFolders().filter(({ isActive }) => isActive).length;
        if (random(4) > 0) continue;
        if (random(2) === 0) {
          vi.setSystemTime(Date.now() + HOURS);
          await snapshots.gc({ keep: [] });
        }
        snapshots.close();
        const cover = random(4) === 0 ? 'all' : 'sources';
        snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir, cover });
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    } finally {
      snapshots.close();
    }
  }
  expect(listed).toBeGreaterThan(RUNS);
}, 600_000);
