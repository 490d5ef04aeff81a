import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSnapshots } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { measureInstallation } from './installation.ts';
import { interleave, time } from './measure.ts';

const FILES = 50_000;
const FILES_IN_A_FOLDER = 10;
const S_IFMT = 0o170000;
const S_IFDIR = 0o040000;

/** A snapshot of a repository in which nothing changed, beside one look at every entry. The ratio's bar is 1.5. */
export const snapshot: Benchmark = {
  name: 'snapshot',
  async run({ quick }) {
    using place = createTestHome();
    const count = quick ? FILES / 10 : FILES;
    fill(place.workspace, count);
    const stateDir = join(place.home, 'snapshots');
    using snapshots = await createSnapshots(place.workspace, { stateDir, cover: 'sources' });
    const begun = performance.now();
    const tree = await snapshots.snapshot();
    const first = performance.now() - begun;
    // The youngest files are read a second time before they count as known.
    await snapshots.snapshot();
    const taken = await interleave(
      {
        bare: () => time(() => walk(place.workspace)),
        klaus: () =>
          time(async () => {
            if ((await snapshots.snapshot()) !== tree) throw new Error('a snapshot of the same files is another one');
          }),
      },
      quick ? 5 : 15,
    );
    const name = `snapshot of ${count.toLocaleString('en')} files`;
    const bare = { value: taken.bare, what: 'readdir and lstat of every entry' };
    return [
      { name: `${name}, nothing changed`, value: taken.klaus, unit: 'ms', bare },
      { name: `${name}, the first`, value: first, unit: 'ms', bare },
      ...(await measureInstallation(quick ? 30 : 300)),
    ];
  },
};

/** Files of 1 to 20 KB, ten to a folder. */
function fill(root: string, count: number): void {
  for (let folder = 0; folder < count / FILES_IN_A_FOLDER; folder++) {
    const path = join(root, `package-${folder % 50}`, `module-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_IN_A_FOLDER; file++) {
      const size = 1_000 * (1 + ((folder * 7 + file * 3) % 20));
      const line = `export const value${folder} = ${folder * file * 7_919};\n`;
      writeFileSync(join(path, `file-${file}.ts`), line.repeat(Math.ceil(size / line.length)));
    }
  }
}

function walk(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    if ((lstatSync(path).mode & S_IFMT) === S_IFDIR) walk(path);
  }
}
