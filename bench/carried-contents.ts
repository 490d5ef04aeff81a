import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { judgeContents } from '@klaus/adapters/tools';
import { createSnapshots, createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import { createToolContext } from '../test/fixtures/tool-context.ts';
import type { Benchmark } from './benchmark.ts';
import { findNoSandbox } from './program.ts';
import { interleave, time } from './measure.ts';

const FILES = 50_000;
const EACH = 50;
/** Milliseconds. */
const MOST = 60;

/** What the check of protected places in commits and in the index adds to a turn that makes a commit. */
export const carriedContents: Benchmark = {
  name: 'carried-contents',
  async run({ quick }) {
    const count = quick ? FILES / 10 : FILES;
    const name = `check of a commit and its index, ${count.toLocaleString('en')} files`;
    using place = createTestHome(toFiles(count));
    const { workspace, home, env } = place;
    mkdirSync(home, { mode: 0o700 });
    const skipped = await findNoSandbox(place);
    if (skipped !== undefined) return [{ name, skipped }];
    const sandbox = await createSandbox({ workspace, home, env });
    const context = createToolContext({ workspace: await createWorkspace(workspace), sandbox });
    using snapshots = await createSnapshots(workspace, { stateDir: join(home, 'snapshots') });
    const git = (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: workspace, env })
        .toString()
        .trim();
    const readState = async () => {
      const state = (await snapshots.snapshotGit(await snapshots.snapshot()))!;
      return { state, index: (await snapshots.entry(state, '.git/index')) ?? null };
    };
    const from = await readState();
    const known = [git('rev-parse', 'HEAD')];
    appendFileSync(join(workspace, 'd1/f1.ts'), 'export {};\n');
    git('commit', '-q', '-a', '-m', 'x');
    const to = await readState();
    const tips = [git('rev-parse', 'HEAD')];
    // Each turn begins with the index of the one before.
    let [before, after] = [from.index!, to.index!];
    // The engine does so while the model answers.
    const startAhead = () => sandbox.prestart!({});
    const judge = async (): Promise<void> => {
      await snapshots.changes(from.state, to.state);
      const indexes = readIndex();
      const query = { repository: '', gitFolder: '.git', known, further: [], tips, indexes, files: [] };
      const accepts = (): Promise<boolean> => Promise.resolve(false);
      const { carried } = await judgeContents(context, { ...query, isPlace: () => false, accepts });
      if (carried.size > 0) throw new Error('the commit has a protected place');
    };
    const readIndex = async () => {
      const difference = await snapshots.compareIndexes(before, after);
      [before, after] = [after, before];
      if (difference?.changes.length !== 1 || difference.isForged) throw new Error('the index has another change');
      return { entries: difference.changes, isComplete: true };
    };
    const taken = await interleave(
      {
        bare: () => time(() => git('log', '--raw', '--format=%H', `${known[0]}..${tips[0]}`)),
        equal: () => time(async () => snapshots.changes(to.state, to.state)),
        klaus: async () => {
          const end = await startAhead();
          const taken = await time(judge);
          await end();
          return taken;
        },
        first: () => time(judge),
      },
      quick ? 5 : 21,
    );
    const bare = { value: taken.bare, what: 'git log --raw of the commit' };
    return [
      { name, value: taken.klaus, unit: 'ms', bare, most: MOST },
      { name: 'the same for the first commit of a session', value: taken.first, unit: 'ms', bare },
      { name: 'the same without a change of refs and index', value: taken.equal, unit: 'ms', most: 1 },
    ];
  },
};

function toFiles(count: number): Record<string, string> {
  const at = (n: number): string => `d${Math.floor(n / EACH)}/f${n % EACH}.ts`;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [at(n), `export const x = ${n};\n`]));
}
