import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEventOf, Script } from '@klaus/sdk';
import type { TestContext } from 'vitest';
import {
  type ClaudeCodeEnded,
  type ClaudeCodeVersion,
  needClaudeCode,
  runClaudeCode,
} from '../fixtures/claude-code.ts';
import { type ActingUser, needUser } from '../fixtures/acting-user.ts';
import { createRoof, type Roof, TITLE } from '../roof/roof.ts';

/** A project with the guard in the settings of the user, and the real Claude Code. */
export interface GuardPlace extends Roof {
  /** Runs Claude Code without questions of its own: the guard alone can deny. */
  claude(...words: string[]): Promise<ClaudeCodeEnded>;
  decisions(): Promise<HostEventOf<'guard.decided'>[]>;
  /** What the model received about its calls, in order, from the last request. */
  results(): string[];
  exists(path: string): boolean;
}

type Reply = NonNullable<Script['steps'][number]['reply']>;
type Call = NonNullable<Reply['calls']>[number];

export type Turn = { text: string } | Call;

/** The answers of the model to the reviewers: no objection. */
export const REVIEWS: Script['steps'] = ['APPROVE', 'OK', 'UPHOLD', 'ALIGNED'].map((word) => ({
  when: { system: `"verdict": .*"${word}"` },
  reply: { text: JSON.stringify({ verdict: word, reason: 'As the script wants it.' }) },
}));

/** Claude Code makes these calls, one a turn. */
export function toScript(turns: readonly Turn[]): Script {
  const reply = (turn: Turn): Reply => ('text' in turn ? { text: turn.text } : { calls: [turn] });
  return {
    steps: [...REVIEWS, TITLE, ...turns.map((turn, at) => ({ when: { turn: at }, reply: reply(turn) }))],
    fallback: { text: 'There is nothing more to do.' },
  };
}

export const bash = (command: string): Turn => ({ name: 'Bash', input: { command, description: 'A step' } });

export interface GuardOptions {
  version?: ClaudeCodeVersion;
  turns?: readonly Turn[];
  /** Instead of the turns. */
  script?: Script;
  env?: Record<string, string>;
  /** Default `own`. */
  user?: ActingUser;
}

export async function openGuard(
  context: Pick<TestContext, 'skip'>,
  { version, turns, script = toScript(turns ?? []), env, user: name = 'own' }: GuardOptions,
): Promise<GuardPlace> {
  const program = await needClaudeCode(context, version);
  const user = needUser(context, name, [program]);
  const roof = await createRoof({ script, ...(env ? { env } : {}), ...(user ? { user } : {}) });
  const { code, stderr, stdout } = await roof.klaus('guard', 'install');
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  const { place, model } = roof;
  return {
    ...roof,
    claude: (...words) =>
      runClaudeCode(['--dangerously-skip-permissions', '-p', ...words], { program, place, url: model.url }),
    async decisions() {
      const { stdout } = await roof.klaus('guard', 'log', '--json');
      return stdout
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as HostEventOf<'guard.decided'>]));
    },
    results() {
      const { json } = model.requests.findLast(({ json: body }) => JSON.stringify(body).includes('tool_result')) ?? {};
      const { messages = [] } = (json ?? {}) as { messages?: { content: unknown }[] };
      return messages.flatMap(({ content }) =>
        (Array.isArray(content) ? (content as { type: string }[]) : [])
          .filter(({ type }) => type === 'tool_result')
          .map((part) => JSON.stringify(part)),
      );
    },
    exists: (path) => existsSync(join(place.workspace, path)),
  };
}
