import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCopies, type NewCopy } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';

const FILES = 50_000;
const EACH = 50;

/** How long a working copy takes to create. */
export const workingCopy: Benchmark = {
  name: 'working-copy',
  async run({ quick }) {
    const count = quick ? FILES / 10 : FILES;
    using place = createTestHome(toFiles(count));
    const { workspace, home, env } = place;
    execFileSync('git', ['gc', '-q', '--force'], { cwd: workspace, env });
    const linked = join(dirname(workspace), 'linked');
    const copies = createCopies({ home, lock: () => ({ release() {} }) });
    const settle = (): void => void execFileSync('sync');
    const taken = await interleave(
      {
        bare: async () => {
          settle();
          const args = ['worktree', 'add', '-q', '--detach', linked];
          const taken = await time(() => execFileSync('git', args, { cwd: workspace, env }));
          execFileSync('git', ['worktree', 'remove', '--force', linked], { cwd: workspace, env });
          rmSync(linked, { recursive: true, force: true });
          return taken;
        },
        klaus: async () => {
          settle();
          let copy: NewCopy | undefined;
          const taken = await time(async () => {
            const given = { session: '01K00000000000000000000000', from: workspace, changes: false, files: ['.env'] };
            copy = await copies.create(given);
          });
          await copy?.abort();
          return taken;
        },
      },
      quick ? 3 : 7,
    );
    const bare = { value: taken.bare, what: 'git worktree add' };
    const name = `working copy, ${count.toLocaleString('en')} files`;
    return [{ name, value: taken.klaus, unit: 'ms', bare, most: { times: 1.2 } }];
  },
};

function toFiles(count: number): Record<string, string> {
  const at = (n: number): string => `d${Math.floor(n / EACH)}/f${n % EACH}.ts`;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [at(n), `export const x = ${n};\n`]));
}
