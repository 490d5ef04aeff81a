import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools, createCheckpoint } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome } from '../test/fixtures/test-home.ts';
import { createToolContext } from '../test/fixtures/tool-context.ts';
import type { Benchmark } from './benchmark.ts';
import { findNoSandbox } from './program.ts';
import { interleave, time } from './measure.ts';

const FILES = 50_000;
const EACH = 50;

/** What the checkpoint at the end of a run costs after an edit of one line. */
export const checkpoint: Benchmark = {
  name: 'checkpoint',
  async run({ quick }) {
    const count = quick ? FILES / 10 : FILES;
    const name = `checkpoint of one line, ${count.toLocaleString('en')} files`;
    using place = createTestHome(toFiles(count));
    const { workspace, home, env } = place;
    mkdirSync(home, { mode: 0o700 });
    const skipped = await findNoSandbox(place);
    if (skipped !== undefined) return [{ name, skipped }];
    const context = createToolContext({
      workspace: await createWorkspace(workspace),
      sandbox: await createSandbox({ workspace, home, env }),
    });
    const command = builtinTools.find(({ name }) => name === 'run_command');
    const edit = (): void => appendFileSync(join(workspace, 'd1/f1.ts'), 'export {};\n');
    const taken = await interleave(
      {
        bare: async () => {
          edit();
          return time(() => execFileSync('git', ['status', '--porcelain'], { cwd: workspace, env }));
        },
        klaus: async () => {
          edit();
          // As at the end of a run: the sandbox was made while the model gave its last answer.
          const end = await context.sandbox.prestart?.(command!.prestart!(context));
          const taken = await time(async () => {
            const made = await createCheckpoint(context, 'A checkpoint');
            if ('skipped' in made) throw new Error(made.skipped);
          });
          await end?.();
          return taken;
        },
      },
      quick ? 5 : 21,
    );
    const bare = { value: taken.bare, what: 'git status' };
    return [{ name, value: taken.klaus, unit: 'ms', bare, most: { times: 1.5 } }];
  },
};

function toFiles(count: number): Record<string, string> {
  const at = (n: number): string => `d${Math.floor(n / EACH)}/f${n % EACH}.ts`;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [at(n), `export const x = ${n};\n`]));
}
