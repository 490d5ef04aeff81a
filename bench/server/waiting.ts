import { execFileSync } from 'node:child_process';
import { openTerminal, hasTmux } from '../../test/fixtures/terminal.ts';
import { startServer, toEnv } from '../../test/fixtures/klaus.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { buildBundle } from '../program.ts';
import { measureIdleness } from './wakes.ts';

const NAME = 'wakes of a terminal that waits for an answer, all threads';

/** A `klaus run` that waits for an approval. */
export const waiting: Benchmark = {
  name: 'waiting',
  async run() {
    if (!hasTmux) return [{ name: NAME, skipped: 'tmux is not installed' }];
    using place = createTestHome();
    const calls = [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }];
    await using server = await startServer({ steps: [{ reply: { calls } }] });
    const command = [...buildBundle(), '--approve', 'ask', 'write'];
    await using terminal = await openTerminal(command, { env: toEnv({ place, server }), cwd: place.workspace });
    await terminal.shows('decides later]');
    const { wakes, cpu } = await measureIdleness(findProcess(place.home));
    return [
      { name: NAME, most: 5, value: wakes, unit: 'wakes/s' },
      { name: 'CPU of it, of one core', most: 0.2, value: cpu, unit: '%' },
    ];
  },
};

/** The process whose state folder it is. */
function findProcess(home: string): number {
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const own = rows.find((row) => row.includes('klaus.cjs') && !row.includes('env -i') && row.includes('--approve ask'));
  if (own === undefined) throw new Error(`no klaus runs for ${home}`);
  return Number(own.trim().split(' ')[0]);
}
