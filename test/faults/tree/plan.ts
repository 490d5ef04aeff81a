import type { Script } from '@klaus/adapters/models';
import type { AgentDefinition, Limits } from '@klaus/sdk';
import type { Chance } from '../../undo/chance.ts';

type Step = Script['steps'][number];
type Call = NonNullable<Step['reply']['calls']>[number];

/** What a user does with a tree of sessions, and what its models answer. */
export interface TreePlan {
  definitions: AgentDefinition[];
  script: Script;
  /** Name of the first agent. */
  root: string;
  limits: Partial<Limits>;
  /** After how many appends the user cancels the run of the first session. */
  cancelAfter?: number;
  /** The user sends another prompt after the end. */
  isPromptedAgain: boolean;
}

interface Agent {
  name: string;
  children: Agent[];
}

/** Most agents of one tree. */
const MAX_AGENTS = 9;
/** Generations below the first agent. */
const GENERATIONS = 3;

/** A random tree of agents with 1 to 3 generations below the first one. */
export function createPlan(chance: Chance): TreePlan {
  const root: Agent = { name: 'n', children: [] };
  const all = [root];
  const grow = (parent: Agent, generations: number): void => {
    for (let count = 1 + chance.number(4); count > 0 && all.length < MAX_AGENTS; count--) {
      const child: Agent = { name: `${parent.name}-${parent.children.length + 1}`, children: [] };
      parent.children.push(child);
      all.push(child);
      if (generations > 1 && chance.percent(60)) grow(child, generations - 1);
    }
  };
  grow(root, 1 + chance.number(GENERATIONS));
  const price = {
    input: 1 + chance.number(30) / 10,
    output: 3 + chance.number(120) / 10,
    cacheRead: 0.3,
    cacheWrite: 3.75,
  };
  const steps = all.flatMap((agent) => toSteps(chance, agent));
  return {
    definitions: all.map((agent) => toDefinition(chance, agent)),
    script: { price, maxOutputTokens: 2_048, steps, fallback: { text: 'Done.' } },
    root: root.name,
    limits: {
      usd: (20 + chance.number(300)) / 100,
      ...(chance.percent(30) && { tokens: 20_000 + chance.number(400_000) }),
      ...(chance.percent(30) && { turns: 3 + chance.number(60) }),
      ...(chance.percent(30) && { toolCalls: 3 + chance.number(60) }),
    },
    ...(chance.percent(20) && { cancelAfter: 3 + chance.number(60) }),
    isPromptedAgain: chance.percent(20),
  };
}

function toDefinition(chance: Chance, { name }: Agent): AgentDefinition {
  // Each generation may have one less below it.
  const grant = `fs(., r) spawn(${GENERATIONS + 2 - name.split('-').length}, 400) tool(*)`;
  return {
    name,
    description: 'Works.',
    allowedAgents: ['*'],
    grants: [`${grant} delegable: ${grant}`],
    systemPrompt: `You are ${name.toUpperCase()}.`,
    ...(name !== 'n' && chance.percent(10) && { maxTurns: 1 + chance.number(4) }),
  };
}

/** The answers of one agent. Later requests get the fallback. */
function toSteps(chance: Chance, agent: Agent): Step[] {
  const turns = [...idle(chance), ...toTurns(chance, agent)];
  return turns.map((calls, turn): Step => ({
    when: { system: `You are ${agent.name.toUpperCase()}\\.`, turn },
    reply: calls.length === 0 ? { text: `Answer of ${agent.name}.` } : { calls },
    ...(chance.percent(40) && { delay: chance.number(12) }),
    ...(chance.percent(7) && { faults: [toFault(chance)] }),
  }));
}

function toFault(chance: Chance): NonNullable<Step['faults']>[number] {
  return chance.pick([
    { kind: 'status', status: 400, always: true },
    { kind: 'status', status: 529 },
    { kind: 'truncate', after: 2 },
    { kind: 'truncate', after: 2, always: true },
    { kind: 'reset', after: 1 },
    { kind: 'hang', after: 1, keepAlive: false },
  ] as const);
}

function idle(chance: Chance): Call[][] {
  return Array.from({ length: chance.number(3) }, () => [{ name: 'list_children', input: {} }]);
}

/** The turns in which an agent delegates; a turn without calls is an answer, after which a message may follow. */
function toTurns(chance: Chance, { children }: Agent): Call[][] {
  if (children.length === 0) return [[], ...idle(chance), []];
  const spawns = children.map((child) => toSpawn(chance, child));
  // The same agent may get two tasks at the same time.
  if (chance.percent(15)) spawns.push(toSpawn(chance, chance.pick(children)));
  const wait = (input: Record<string, boolean | string[]> = {}): Call => ({ name: 'wait_agents', input });
  const message = (child: Agent): Call => ({ name: 'message_agent', input: { to: child.name, message: 'Continue.' } });
  const spawned = chance.percent(60) ? [spawns] : spawns.map((call) => [call]);
  const some = [chance.pick(children), chance.pick(children)];
  const collected = chance.pick<Call[][]>([
    [[wait()]],
    [[wait({ any: true })], [wait()]],
    [[wait({ any: true })]],
    [[wait({ keep: true })], some.map(message), [wait()]],
    [[wait({ keep: true })], some.map(message), [wait({ keep: true, any: true })], [message(some[0]!), wait()]],
    [some.map(message), [wait()]],
    [[wait({ agents: [some[0]!.name], keep: true })], [message(some[0]!)]],
    [[wait({ agents: [some[0]!.name] })]],
    [],
  ]);
  return [...spawned, ...idle(chance), ...collected, []];
}

function toSpawn(chance: Chance, { name }: Agent): Call {
  const budget = {
    ...(chance.percent(60) && { usd: (1 + chance.number(40)) / 100 }),
    ...(chance.percent(15) && { turns: 1 + chance.number(5) }),
    ...(chance.percent(15) && { tool_calls: 1 + chance.number(6) }),
    ...(chance.percent(15) && { tokens: 4_000 + chance.number(60_000) }),
  };
  const isGiven = Object.keys(budget).length > 0;
  return { name: 'spawn_agent', input: { agent: name, task: `Do ${name}.`, ...(isGiven && { budget }) } };
}
