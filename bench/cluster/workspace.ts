import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  archiveState,
  countKnown,
  openS3,
  readPacks,
  type ArchivedState,
  type ObjectStore,
} from '@klaus/adapters/objects';
import { createSnapshots, rebuildWorkspace, type LocalSnapshots } from '@klaus/adapters/workspace';
import { provideSeaweed, startS3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import type { Benchmark, Row } from '../benchmark.ts';

const WORKSPACE = 'bench';
/** Files that change between two runs. */
const CHANGED = 20;

/** A workspace that moves between workers through an object store. */
export const workspace: Benchmark = {
  name: 'workspace',
  async run({ quick }) {
    const count = quick ? 2_000 : 50_000;
    const what = `workspace of ${count.toLocaleString('en')} files`;
    const { program, reason } = provideSeaweed();
    if (program === undefined) return [{ name: what, skipped: reason }];
    const base = mkdtempSync(join(tmpdir(), 'klaus-bench-'));
    await using server = await startS3Server(program);
    const objects = await openS3(await server.createBucket());
    try {
      return await measure({ base, objects, count, what });
    } finally {
      objects.close();
      rmSync(base, { recursive: true, force: true });
    }
  },
};

interface Place {
  base: string;
  objects: ObjectStore;
  count: number;
  what: string;
}

async function measure({ base, objects, count, what }: Place): Promise<Row[]> {
  const from = join(base, 'from');
  fill(from, count);
  using one = await openWorker(base, 'from');
  const first = await one.snapshot();
  const stored = await time(() => archive(objects, one, { tree: first, fence: 1 }));
  const origin = commit(base, from);
  const cloned = await time(() => clone(origin, join(base, 'clone')));

  using two = await openWorker(base, 'to');
  const cold = await time(() => rebuild(two, { objects, root: join(base, 'to'), state: stored.value }));

  // A run begins with a snapshot.
  await two.snapshot();
  for (let at = 0; at < CHANGED; at++) writeFileSync(toFile(from, at * 7), `changed ${at}\n`);
  const second = await one.snapshot();
  const next = await time(() => archive(objects, one, { tree: second, fence: 2, base: stored.value }));
  const warm = await time(() => rebuild(two, { objects, root: join(base, 'to'), state: next.value }));
  const bare = { value: cloned.ms, what: 'git clone of the same files from the same disk' };
  return [
    { name: `${what}, stored completely`, value: stored.ms, unit: 'ms' },
    { name: 'the same, after a change of 20 files', value: next.ms, unit: 'ms' },
    { name: `${what}, rebuilt on a worker that has nothing`, value: cold.ms, unit: 'ms', bare, most: { times: 3 } },
    { name: 'the same, on a worker that had it before the change', value: warm.ms, unit: 'ms', most: 2_000 },
  ];
}

async function openWorker(base: string, name: string): Promise<LocalSnapshots> {
  mkdirSync(join(base, name), { recursive: true });
  return await createSnapshots(join(base, name), { stateDir: join(base, `${name}-snapshots`) });
}

function archive(
  objects: ObjectStore,
  snapshots: LocalSnapshots,
  { tree, fence, base }: { tree: string; fence: number; base?: ArchivedState },
): Promise<ArchivedState> {
  const packs = snapshots.pack(tree, base?.tree);
  return archiveState(objects, { workspace: WORKSPACE, session: 'A', tree, fence, base, packs });
}

async function rebuild(
  snapshots: LocalSnapshots,
  { objects, root, state }: { objects: ObjectStore; root: string; state: ArchivedState },
): Promise<void> {
  const skip = countKnown(state, (id) => snapshots.has(id));
  await snapshots.unpack(readPacks(objects, { workspace: WORKSPACE, state, skip }), state.tree);
  await rebuildWorkspace(snapshots, root, { tree: state.tree });
}

function toFile(root: string, at: number): string {
  return join(root, `package-${at % 50}`, `folder-${at % 500}`, `file-${at}.ts`);
}

function fill(root: string, count: number): void {
  for (let at = 0; at < count; at++) {
    if (at < 500) mkdirSync(join(toFile(root, at), '..'), { recursive: true });
    writeFileSync(toFile(root, at), `export const value${at} = ${at};\n`.repeat(20 + (at % 60)));
  }
}

/** A repository with the same files; its folder. */
function commit(base: string, root: string): string {
  const origin = join(base, 'origin');
  cpSync(root, origin, { recursive: true });
  const git = (...words: string[]): void => {
    // A collection in the background would lock out the one below.
    const settings = ['gc.auto=0', 'maintenance.auto=false', 'user.name=Klaus', 'user.email=klaus@example.com'];
    const options = settings.flatMap((setting) => ['-c', setting]);
    execFileSync('git', ['-C', origin, ...options, ...words], { stdio: 'ignore' });
  };
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All files');
  git('gc', '--quiet');
  return origin;
}

async function clone(origin: string, target: string): Promise<void> {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', origin, target], { stdio: 'ignore' });
}

async function time<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const begun = performance.now();
  const value = await work();
  return { ms: performance.now() - begun, value };
}
