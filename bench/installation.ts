import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSnapshots, type SnapshotsOptions } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Row } from './benchmark.ts';
import { time } from './measure.ts';

const FILES_IN_A_FOLDER = 10;

/**
 * The first snapshot of a project with an installed `node_modules`, beside one that stores its content.
 *
 * @param megabytes Of the installation.
 */
export async function measureInstallation(megabytes: number): Promise<Row[]> {
  using place = createTestHome();
  install(join(place.workspace, 'node_modules'), megabytes * 1e6);
  // Reads the files once, so that both find them in memory.
  await measure(place.workspace, { stateDir: join(place.home, 'warm'), cover: 'all' });
  const all = await measure(place.workspace, { stateDir: join(place.home, 'all'), cover: 'all' });
  const sources = await measure(place.workspace, { stateDir: join(place.home, 'sources'), cover: 'sources' });
  const what = 'with `undo.cover=all`';
  return [
    {
      name: `snapshot with ${megabytes} MB in node_modules, the first`,
      value: sources.ms,
      unit: 'ms',
      bare: { value: all.ms, what },
    },
    {
      name: `state folder after the first with ${megabytes} MB in node_modules`,
      value: sources.mb,
      unit: 'MB',
      bare: { value: all.mb, what },
    },
  ];
}

async function measure(root: string, options: SnapshotsOptions): Promise<{ ms: number; mb: number }> {
  using snapshots = await createSnapshots(root, options);
  const ms = await time(() => snapshots.snapshot());
  return { ms, mb: sizeOf(options.stateDir) / 1e6 };
}

/** Files of 2 to 20 KB, ten to a folder, of which no two are the same. */
function install(folder: string, bytes: number): void {
  let written = 0;
  for (let count = 0; written < bytes; count++) {
    const path = join(folder, `package-${count % 600}`, 'lib', `module-${count}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_IN_A_FOLDER; file++) {
      const lines = 30 + ((count * 7 + file * 13) % 300);
      const text = Array.from(
        { length: lines },
        (_, line) => `export const value${line} = add(${(count * 7_919 + file * 104_729 + line * 31) % 1e6}, base);\n`,
      ).join('');
      writeFileSync(join(path, `file-${file}.js`), text);
      written += text.length;
    }
  }
  writeFileSync(join(folder, '.package-lock.json'), '{}');
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
