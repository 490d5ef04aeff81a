import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type Script } from '@klaus/sdk';
import { answerFirstStart, fetchClaudeCode, toClaudeCodeEnv } from '../test/fixtures/claude-code.ts';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { interleave, median } from './measure.ts';
import { buildBundle } from './program.ts';

const TURNS = 40;
const MODEL = 'claude-sonnet-5-5';
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: TURNS - 1 }, reply: { text: 'Done.' } },
  ],
  fallback: { text: 'Again.', calls: [{ shell: 'echo {{turn}}' }] },
};

interface Program {
  title: string;
  command: readonly string[];
  /** The same for `klaus wrap`. */
  wrapped: readonly string[];
  /** Without Klaus. */
  env: (url: string) => Readonly<Record<string, string>>;
  rounds: number;
}

/** Programs by themselves and under `klaus wrap`: the time to the first request, and that of 40 turns. */
export const wrapped: Benchmark = {
  name: 'wrap',
  async run({ quick }) {
    using place = createTestHome();
    const lines = await compare(toAgent(place, quick ? 3 : 11), place);
    try {
      return [...lines, ...(await compare(await toClaudeCode(place, quick ? 1 : 5), place))];
    } catch (error) {
      return [...lines, { name: 'Claude Code under klaus wrap', skipped: (error as Error).message }];
    }
  },
};

function toAgent(place: TestHome, rounds: number): Program {
  const command = [process.execPath, installAgent(join(place.home, '../agent')), 'Do the work.'];
  return {
    ...{ title: 'a small agent', command, rounds },
    wrapped: ['--', 'env', `ANTHROPIC_MODEL=${MODEL}`, ...command],
    env: (url) => ({ ...place.env, ANTHROPIC_BASE_URL: url, ANTHROPIC_MODEL: MODEL }),
  };
}

async function toClaudeCode(place: TestHome, rounds: number): Promise<Program> {
  const command = [await fetchClaudeCode('2.1.332'), '-p', '--dangerously-skip-permissions', 'Do the work.'];
  answerFirstStart(place);
  const env = (url: string) => toClaudeCodeEnv(place, url);
  return { title: 'Claude Code', command, wrapped: ['--as', 'claude', '--', ...command], env, rounds };
}

async function compare({ title, command, wrapped, env, rounds }: Program, place: TestHome): Promise<Row[]> {
  const turns = { bare: [] as number[], wrapped: [] as number[] };
  const run = async (name: keyof typeof turns): Promise<number> => {
    const words = name === 'bare' ? command : [...buildBundle(), 'wrap', ...wrapped];
    const toEnv = (url: string) =>
      name === 'bare' ? env(url) : { ...place.env, ANTHROPIC_BASE_URL: url, AGENT_MODEL: `anthropic/${MODEL}` };
    const taken = await measure(words, { cwd: place.workspace, toEnv });
    turns[name].push(taken.turns);
    return taken.start;
  };
  const start = await interleave({ bare: () => run('bare'), wrapped: () => run('wrapped') }, rounds);
  return [
    { name: `added to the start of ${title} by klaus wrap`, value: start.wrapped - start.bare, unit: 'ms', most: 150 },
    {
      name: `${TURNS} turns of ${title} under klaus wrap`,
      value: median(turns.wrapped),
      unit: 'ms',
      bare: { value: median(turns.bare), what: 'the same by itself' },
      most: { times: 1.05 },
    },
  ];
}

async function measure(
  [program = '', ...words]: readonly string[],
  { cwd, toEnv }: { cwd: string; toEnv: (url: string) => Readonly<Record<string, string>> },
): Promise<{ start: number; turns: number }> {
  const server = await startModelServer({ script: SCRIPT });
  const env = { ANTHROPIC_API_KEY: 'sk-ant-bench-7d20c1f4a9b35e8806d1c2f3', ...toEnv(server.url) };
  try {
    const begun = Date.now();
    const child = spawn(program, words, { cwd, env, stdio: 'ignore' });
    const [code] = (await once(child, 'close')) as [number | null];
    const requests = server.requests.filter(({ body }) => /"tools":\s*\[\{/.test(body));
    if (code !== 0 || requests.length !== TURNS)
      throw new Error(`${program} ended with ${code} after ${requests.length} requests`);
    return { start: requests[0]!.at - begun, turns: requests.at(-1)!.at - requests[0]!.at };
  } finally {
    await server.close();
  }
}

/** A package of its own, as that of an installed program. @returns Its program. */
function installAgent(folder: string): string {
  const program = join(folder, 'agent.ts');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'agent', type: 'module' }));
  copyFileSync(join(import.meta.dirname, '../test/wrap/agent.fixture.ts'), program);
  return program;
}
