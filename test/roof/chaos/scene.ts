import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { toDefinition } from '../../fixtures/acp-agent.ts';
import type { Ended } from '../../fixtures/klaus.ts';
import { createRoof, type Roof, TITLE } from '../roof.ts';

/** What a session is: in the folder of the user, in a working copy, with child sessions, or of another program. */
export const KINDS = ['plain', 'copy', 'lead', 'program'] as const;
export type Kind = (typeof KINDS)[number];

/** How working copies end, one after the other. */
export const ENDS = ['merge', 'discard', 'squash', 'keep', 'rebase'] as const;
export type End = (typeof ENDS)[number];

export interface ChaosSession {
  readonly id: string;
  readonly number: number;
  readonly kind: Kind;
  /** How its working copy ends. */
  readonly end: End;
}

export interface Scene extends AsyncDisposable {
  readonly roof: Roof;
  readonly sessions: readonly ChaosSession[];
  /** The folder of everything that belongs to the test. */
  readonly root: string;
  /** The folder for temporary files of all its processes. */
  readonly temporary: string;
  readonly secret: string;
}

/** An uncommitted file of the user. */
export const MINE = 'mine.txt';

/** The prompt of its agent has the number of a session, which no message of a user or of Klaus hides. */
const NUMBER = "{{system | match 'session (\\d+)'}}";
const PART = "{{user | match 'part (\\d+)'}}";
const SECRET = 'a-secret-of-the-chaos-test';
/** Limits that no session reaches. */
const BUDGET = { usd: 1_000, tokens: 100_000_000 };

type Step = Script['steps'][number];
type Call = NonNullable<Step['reply']['calls']>[number];

/** Appends a line to the file of a session, which must not happen twice. */
const toEffect = (line: string, number = NUMBER): string =>
  `mkdir -p effects; sleep 0.3; echo ${line} >> effects/${number}`;

const effect = (line: string): Call => ({ name: 'run_command', input: { command: toEffect(line) } });

/** A file at a protected place, which needs an approval. */
const protectedFile = (turn: number): Call => ({
  name: 'write_file',
  input: { path: `.github/workflows/${NUMBER}-${turn}.yml`, content: 'a: 1\n' },
});

const isQuestion = (turn: number): boolean => turn % 4 === 2;

/** One call a turn, and a question in each fourth turn. */
const toTurn = (turn: number): Step => ({
  when: { turn },
  pace: 10,
  reply: {
    text: 'Working on the next line of the file now.',
    calls: [isQuestion(turn) ? protectedFile(turn) : effect(`line-${turn}`)],
  },
});

const BUDGETS: Record<string, number>[] = [{ usd: 20 }, { usd: 3, tokens: 60_000 }];

/** Two agents at once, one of them with a small budget, and then the wait for both. */
const toLeadTurn = (turn: number): Step => ({
  when: { system: 'You are the lead', turn },
  pace: 10,
  reply: {
    calls:
      turn % 2 === 1
        ? [{ name: 'wait_agents', input: {} }]
        : BUDGETS.map((budget, part) => ({
            name: 'spawn_agent',
            input: { agent: `worker-${NUMBER}`, task: `Do part ${turn + part}.`, budget },
          })),
  },
});

const toWorkerTurn = (turn: number): Step => ({
  when: { system: 'You are the worker', turn },
  pace: 10,
  reply: { calls: [effect(`part-${PART}-line-${turn}`)] },
});

const WORKER_TURNS = 2;
/** At most: each second one opens two sessions. */
const LEAD_TURNS = 6;

/** What the model answers. Each conversation has this many turns with calls. */
function toScript(turns: number): Script {
  const some = <T>(count: number, step: (turn: number) => T): T[] => Array.from({ length: count }, (_, at) => step(at));
  return {
    steps: [
      TITLE,
      ...some(WORKER_TURNS, toWorkerTurn),
      { when: { system: 'You are the worker' }, reply: { text: 'Part done.' } },
      ...some(Math.min(turns, LEAD_TURNS), toLeadTurn),
      { when: { system: 'You are the lead' }, reply: { text: 'It is done.' } },
      ...some(turns, toTurn),
    ],
    fallback: { text: 'It is done.' },
  };
}

/** The prompt of an agent of another program: its steps, a line each. */
function toProgramPrompt(number: number, turns: number): string {
  const lines = Array.from({ length: turns }, (_, turn) =>
    isQuestion(turn) ? 'permit other magic' : `run ${toEffect(`line-${turn}`, String(number))}`,
  );
  return [`session ${number}`, ...lines, 'say It is done.'].join('\n');
}

/** A message for a session. It gives the agent of another program a further command. */
export function toMessage({ kind, number }: ChaosSession, index: number): string {
  const text = `note-${index}.`;
  return kind === 'program' ? `${text}\nrun ${toEffect(`note-${index}.`, String(number))}` : text;
}

/** What a lead may do, and pass to its workers. */
const LEAD_GRANT = 'fs(., rwx) exec spawn(1, 400) tool(*) delegable: fs(., rwx) exec tool(*)';

const toAgent = (name: string, number: number, fields: string): string =>
  `---\nname: ${name}-${number}\ndescription: Works.\n${fields}\n---\n\nYou are the ${name} of session ${number}.\n`;

/** The agents of a session, by their names. */
function toAgents(kind: Kind, number: number): Record<string, string> {
  if (kind === 'program') return { other: toDefinition() };
  const capabilities = 'capabilities: [file-operations, code-execution]';
  if (kind !== 'lead') return { [`writer-${number}`]: toAgent('writer', number, capabilities) };
  return {
    [`lead-${number}`]: toAgent('lead', number, `allowedAgents: [worker-${number}]\ngrants: ['${LEAD_GRANT}']`),
    [`worker-${number}`]: toAgent('worker', number, "grants: ['fs(., rwx) exec tool(*)']"),
  };
}

/** Starts the sessions, all of which work at the same time. */
export async function createScene({ count, turns }: { count: number; turns: number }): Promise<Scene> {
  const roof = await createRoof({
    script: toScript(turns),
    env: {
      KLAUS_SANDBOX: 'bubblewrap',
      AGENT_MAX_CONCURRENT_SESSIONS: String(count),
      AGENT_API_SECRET: SECRET,
    },
    temporary: true,
  });
  const root = join(roof.place.home, '..');
  const agents = join(roof.place.home, 'agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(roof.place.workspace, MINE), 'mine\n');
  const sessions: ChaosSession[] = [];
  for (let number = 0; number < count; number++) {
    const kind = KINDS[number % KINDS.length]!;
    const files = toAgents(kind, number);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(agents, `${name}.md`), text);
    const end = ENDS[Math.floor(number / KINDS.length) % ENDS.length]!;
    sessions.push({ id: await start(roof, { agent: Object.keys(files)[0]!, kind, number, turns }), kind, number, end });
  }
  return {
    roof,
    sessions,
    root,
    temporary: join(root, 'tmp'),
    secret: SECRET,
    [Symbol.asyncDispose]: () => roof[Symbol.asyncDispose](),
  };
}

async function start(
  roof: Roof,
  { agent, kind, number, turns }: { agent: string; kind: Kind; number: number; turns: number },
): Promise<string> {
  const prompt = kind === 'program' ? toProgramPrompt(number, turns) : 'Work.';
  const limits = ['--max-tool-calls', '0', '--max-turns', '0'];
  limits.push('--budget-tokens', String(kind === 'lead' ? BUDGET.tokens : 0));
  if (kind === 'lead') limits.push('--budget-usd', String(BUDGET.usd));
  const options = ['--detach', '--approve', 'auto', ...limits, ...(kind === 'copy' ? ['--worktree'] : [])];
  if (kind === 'lead') options.push('--grant', LEAD_GRANT);
  const { code, stdout, stderr } = await roof.klaus('start', agent, prompt, ...options);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** A kill may end the command, and the copy remains. */
export function endCopy({ roof }: Scene, { id, end }: ChaosSession): Promise<Ended> {
  if (end === 'squash' || end === 'rebase') return roof.klaus('merge', id, `--${end}`);
  return roof.klaus(end, id);
}
