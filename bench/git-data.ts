import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { closeObjectStore, openObjectStore } from '../adapters/sandboxes/protection/object-store.ts';
import { createSnapshots } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';

const OBJECTS = 100_000;
const BRANCHES = 50;
/** Milliseconds that a turn with one command may take for git's data. */
const MOST = 5;
const YOUNG_MS = 2_200;

/** What protecting git's data adds to a turn: its state before and after, and the intake of one command. */
export const gitData: Benchmark = {
  name: 'git-data',
  async run({ quick }) {
    using place = createTestHome();
    const count = quick ? OBJECTS / 10 : OBJECTS;
    const git = join(place.workspace, '.git');
    fill(join(git, 'objects'), count);
    for (let at = 0; at < BRANCHES; at++)
      execFileSync('git', ['branch', `b${at}`], { cwd: place.workspace, env: place.env });
    using snapshots = await createSnapshots(place.workspace, { stateDir: join(place.home, 'snapshots') });
    // Files that changed a moment ago are read again each time, as they may change within a tick of the clock.
    await setTimeout(YOUNG_MS);
    const tree = await snapshots.snapshot();
    await snapshots.snapshotGit(tree);
    const taken = await interleave(
      {
        bare: () => time(() => walk(git)),
        klaus: () =>
          time(async () => {
            await snapshots.snapshotGit(tree);
            closeObjectStore(openObjectStore(git, { survives: false })!);
            await snapshots.snapshotGit(tree);
          }),
      },
      quick ? 5 : 31,
    );
    const bare = { value: taken.bare, what: 'lstat of everything in .git but objects, once' };
    const name = `git's data of a turn, ${count.toLocaleString('en')} objects, ${BRANCHES} branches`;
    return [{ name, value: taken.klaus, unit: 'ms', bare, most: MOST }];
  },
};

/** Loose objects, as git writes them. */
function fill(store: string, count: number): void {
  for (let at = 0; at < count; at++) {
    const content = `content ${at}\n`;
    const raw = Buffer.from(`blob ${content.length}\0${content}`);
    const id = createHash('sha1').update(raw).digest('hex');
    mkdirSync(join(store, id.slice(0, 2)), { recursive: true });
    writeFileSync(join(store, id.slice(0, 2), id.slice(2)), deflateSync(raw, { level: 1 }));
  }
}

function walk(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name === 'objects') continue;
    const path = join(folder, name);
    if (lstatSync(path).isDirectory()) walk(path);
  }
}
