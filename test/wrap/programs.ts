import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { fetchPeer, toAgent } from '../../bench/peers/fetch.ts';
import { PEERS } from '../../bench/peers/peers.ts';
import { CLAUDE_CODE_VERSIONS, fetchClaudeCode } from '../fixtures/claude-code.ts';

/** A program that the tests wrap. */
export interface WrappedProgram {
  title: string;
  /** What it is for `klaus wrap --as`. */
  as: string;
  /** Model of Klaus for it. */
  model: string;
  /** Options of `klaus wrap` before `--`. */
  options?: readonly string[];
  /** @throws Error if it cannot be fetched. @returns The words before the prompt. */
  fetch(): Promise<readonly string[]>;
}

const CLAUDE = 'anthropic/claude-sonnet-5-5';
const OPENAI = 'openai/gpt-5.4';

export const FIXTURE: WrappedProgram = {
  title: 'the agent of the tests',
  as: 'agent',
  model: CLAUDE,
  fetch: async () => [
    'env',
    'ANTHROPIC_MODEL=claude-sonnet-5-5',
    process.execPath,
    join(import.meta.dirname, 'agent.fixture.ts'),
  ],
};

async function fetchProgram(name: string, pick: (path: string) => boolean): Promise<string> {
  const peer = PEERS.find((each) => each.name === name)!;
  await fetchPeer(peer, (line) => console.warn(line));
  const found = toAgent(peer).command.find((word) => existsSync(word) && pick(word));
  if (found === undefined) throw new Error(`${name} has no program`);
  return found;
}

export const REAL_PROGRAMS: readonly WrappedProgram[] = [
  {
    title: 'Claude Code',
    as: 'claude',
    model: CLAUDE,
    fetch: async () => [await fetchClaudeCode(CLAUDE_CODE_VERSIONS[0]), '-p', '--dangerously-skip-permissions'],
  },
  {
    title: 'Codex',
    as: 'codex',
    model: OPENAI,
    fetch: async () => [await fetchProgram('codex', () => true), 'exec', '--json', '--skip-git-repo-check'],
  },
  {
    title: 'opencode',
    as: 'opencode',
    model: CLAUDE,
    fetch: async () => [await fetchProgram('opencode', () => true), 'run', '--format', 'json', '--auto'],
  },
  {
    title: 'pi',
    as: 'pi',
    model: CLAUDE,
    fetch: async () => [
      process.execPath,
      await fetchProgram('pi', (path) => path.endsWith('.js')),
      '-p',
      '--mode',
      'json',
    ],
  },
];
