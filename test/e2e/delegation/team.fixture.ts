import { defineTool, type Advance, type AgentDefinition, type Event, type OpenOptions, type Session } from '@klaus/sdk';
import { z } from 'zod';
import { createTestEngine, ofType, type TestEngine, type TestEngineOptions } from '../../fixtures/engine.ts';

export type Call = { name: string; input: Record<string, unknown> };
type Step = { when: Record<string, unknown>; reply: Record<string, unknown> };

/** What the model of each agent answers, turn by turn. */
export type Scripts = Readonly<Record<string, readonly (readonly Call[] | string)[]>>;

/** What the user gives the lead in most tests: it can write, but may only delegate reading. */
export const DELEGATES_READING = 'fs(., rw) spawn(2, 8) tool(*) delegable: fs(., r) spawn(2, 8) tool(*)';
export const DELEGATES_ALL = 'fs(., rw) spawn(2, 8) tool(*) delegable: fs(., rw) spawn(2, 8) tool(*)';

/** An agent that reads, and that a test can make more or less. */
export function toAgent(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  const systemPrompt = `You are ${name.toUpperCase()}.`;
  return { name, description: `The agent ${name}.`, grants: ['fs(., r) tool(*)'], systemPrompt, ...more };
}

/** An agent that gives tasks to these agents. */
export function toLead(name: string, allowedAgents: string[], more: Partial<AgentDefinition> = {}): AgentDefinition {
  return toAgent(name, { grants: [DELEGATES_ALL], allowedAgents, ...more });
}

export const spawn = (agent: string, more: Record<string, unknown> = {}): Call => ({
  name: 'spawn_agent',
  input: { agent, task: 'Work.', ...more },
});
export const wait = (input: Record<string, unknown> = {}): Call => ({ name: 'wait_agents', input });
export const message = (to: string, text = 'Continue.'): Call => ({
  name: 'message_agent',
  input: { to, message: text },
});
export const write = (path: string): Call => ({ name: 'write_file', input: { path, content: 'written\n' } });
export const read: Call = { name: 'read_file', input: { path: 'a.txt' } };
/** During this call the test acts. */
export const pause: Call = { name: 'pause', input: {} };

export interface Team extends TestEngine {
  /** The events of a session. */
  readonly events: (session: string) => Promise<Event[]>;
  /** The names of the tools in the first request of an agent. */
  readonly toolsOf: (agent: string) => string[];
}

export interface TeamOptions extends Pick<TestEngineOptions, 'tools' | 'settings' | 'files'> {
  agents: readonly AgentDefinition[];
  scripts: Scripts;
  /** What the test does during the call `pause`. @param session The session that calls it. */
  onPause?: (team: Team, session: string) => Promise<unknown>;
}

const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

/** An engine with agents whose models are scripted. The system prompt selects the script. */
export async function createTeam({ agents, scripts, onPause, tools = [], ...options }: TeamOptions): Promise<Team> {
  const steps = Object.entries(scripts).flatMap(([name, turns]) =>
    turns.map((turn, at): Step => ({
      when: { system: `You are ${name.toUpperCase()}\\.`, turn: at },
      reply: typeof turn === 'string' ? { text: turn } : { calls: turn },
    })),
  );
  const pausing = defineTool({
    name: 'pause',
    description: 'Waits for the test.',
    input: z.strictObject({}),
    effects: ['read'],
    resume: 'repeat',
    async run(_, { session }) {
      await onPause?.(team, session);
      return { text: 'Continued.' };
    },
  });
  const engine = await createTestEngine({
    script: { price: PRICE, steps: steps as never },
    files: { 'a.txt': 'one\n' },
    tools: [pausing, ...tools],
    ...options,
  });
  const team: Team = Object.defineProperties({} as Team, {
    ...Object.getOwnPropertyDescriptors(engine),
    events: { value: (session: string) => Array.fromAsync(engine.klaus.handle(session).events()) },
    toolsOf: {
      value: (agent: string) => {
        const found = engine.server.requests.find(({ json }) =>
          JSON.stringify(json).includes(`You are ${agent.toUpperCase()}.`),
        );
        return ((found?.json as { tools?: { name: string }[] } | undefined)?.tools ?? []).map(({ name }) => name);
      },
    },
  });
  for (const definition of agents) await engine.klaus.agents().save(definition);
  return team;
}

export interface Led {
  session: Session;
  advanced: Advance;
  events: Event[];
}

export interface LeadOptions extends OpenOptions {
  /** Default `deny`. */
  onAsk?: 'wait' | 'deny';
  /** Called with each event of the lead, before its effect. */
  onEvent?: (event: Event) => void;
}

/** Only money is limited, so that an agent two levels down has enough of everything. */
const LIMITS = { usd: 1, tokens: 0, toolCalls: 0, turns: 0 };

/** Opens a session of the agent `lead` and gives it a task. */
export async function lead(team: Team, options: LeadOptions = {}): Promise<Led> {
  const { onAsk = 'deny', onEvent, ...open } = options;
  const session = await team.klaus.open({ agent: 'lead', grant: DELEGATES_READING, limits: LIMITS, ...open });
  if (onEvent) session.subscribe(0, onEvent);
  await session.prompt('Lead.', { onAsk });
  const advanced = await session.advance();
  return { session, advanced, events: await team.events(session.id) };
}

/** Answers the only open question and continues the session that the user opened. */
export async function answer(team: Team, root: string, given: 'approved' | 'rejected'): Promise<Led> {
  const [open] = await team.klaus.approvals();
  await team.klaus.answer(open!.id, given, { by: 'test' });
  const session = team.klaus.handle(root);
  const advanced = await session.advance();
  return { session, advanced, events: await team.events(root) };
}

/** How the calls of a session ended: tool, outcome, and the code of an error. Without `pause`. */
export function endsOf(events: readonly Event[]): string[] {
  const finished = ofType(events, 'tool.finished').filter(({ name }) => name !== pause.name);
  return finished.map(({ name, outcome, detail }) => {
    const { code } = (detail ?? {}) as { code?: string };
    return [name, outcome, ...(code === undefined ? [] : [code])].join(' ');
  });
}

/** Ids of the child sessions in the order in which they were opened. */
export function childrenOf(events: readonly Event[]): string[] {
  return ofType(events, 'child.opened').map(({ child }) => child);
}

/** The sessions of a state folder. */
export async function countSessions({ klaus }: Team): Promise<number> {
  return (await klaus.sessions()).length;
}
