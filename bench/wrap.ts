import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type Script } from '@klaus/sdk';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, median } from './measure.ts';
import { buildBundle } from './program.ts';

const TURNS = 40;
const SCRIPT: Script = {
  steps: [{ when: { turn: TURNS - 1 }, reply: { text: 'Done.' } }],
  fallback: { text: 'Again.', calls: [{ shell: 'echo {{turn}}' }] },
};

/** A small agent by itself and under `klaus wrap`: the time to its first request, and that of its 40 turns. */
export const wrapped: Benchmark = {
  name: 'wrap',
  async run({ quick }) {
    const bundle = buildBundle();
    using place = createTestHome();
    const agent = [process.execPath, installAgent(join(place.home, '../agent')), 'Do the work.'];
    const measure = async (
      command: readonly string[],
      isWrapped: boolean,
    ): Promise<{ start: number; turns: number }> => {
      const server = await startModelServer({ script: SCRIPT });
      const env = {
        ...place.env,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-ant-bench-7d20c1f4a9b35e8806d1c2f3',
        ...(isWrapped ? { AGENT_MODEL: 'anthropic/claude-sonnet-5-5' } : { ANTHROPIC_MODEL: 'claude-sonnet-5-5' }),
      };
      try {
        const begun = Date.now();
        const [program, ...words] = command as [string, ...string[]];
        const child = spawn(program, words, { cwd: place.workspace, env, stdio: 'ignore' });
        const [code] = (await once(child, 'close')) as [number | null];
        const { requests } = server;
        if (code !== 0 || requests.length !== TURNS)
          throw new Error(`ended with ${code} after ${requests.length} requests`);
        return { start: requests[0]!.at - begun, turns: requests.at(-1)!.at - requests[0]!.at };
      } finally {
        await server.close();
      }
    };
    const all = { bare: [] as number[], wrapped: [] as number[] };
    const taken = await interleave(
      {
        bare: async () => {
          const { start, turns } = await measure(agent, false);
          all.bare.push(turns);
          return start;
        },
        wrapped: async () => {
          const line = [...bundle, 'wrap', '--', 'env', 'ANTHROPIC_MODEL=claude-sonnet-5-5', ...agent];
          const { start, turns } = await measure(line, true);
          all.wrapped.push(turns);
          return start;
        },
      },
      quick ? 3 : 11,
    );
    return [
      { name: 'added to the start by klaus wrap', value: taken.wrapped - taken.bare, unit: 'ms', most: 150 },
      {
        name: `${TURNS} turns under klaus wrap`,
        value: median(all.wrapped),
        unit: 'ms',
        bare: { value: median(all.bare), what: 'the same agent by itself' },
        most: { times: 1.05 },
      },
    ];
  },
};

/** A package of its own, as that of an installed program. @returns Its program. */
function installAgent(folder: string): string {
  const program = join(folder, 'agent.ts');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'agent', type: 'module' }));
  copyFileSync(join(import.meta.dirname, '../test/wrap/agent.fixture.ts'), program);
  return program;
}
