import {
  isKlausError,
  KlausError,
  toProjectAgent,
  type AgentDefinition,
  type Agents,
  type FoundAgent,
} from '@klaus/sdk';
import { BUILT_IN_AGENT, type AgentView } from '../contract/index.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { toFolder } from '../access/limit-context.ts';
import { Refusal } from '../http/problem.ts';

const KLAUS: AgentView = {
  name: BUILT_IN_AGENT,
  description: 'Reads, changes and tests the code of a workspace.',
  capabilities: ['file-operations', 'code-execution'],
  isChatOnly: false,
  tools: null,
  model: null,
  file: null,
  hides: [],
  source: null,
  untrusted: [],
  lastUsed: null,
};

/** @throws KlausError `workspace.outside`, `workspace.refused`, `workspace.missing`. */
function openAgents(context: Context, { workspace }: { workspace?: string }): Agents {
  return context.klaus.agents(toFolder(context, workspace));
}

/** The agent of `klaus.open`; undefined for the built-in one. */
export function toDefined(agent: string | undefined): string | undefined {
  return agent === BUILT_IN_AGENT ? undefined : agent;
}

export const agentHandlers = {
  async agents({ query }, context) {
    const agents = openAgents(context, query);
    const { agents: all, broken } = await agents.list();
    const uses = await context.klaus.store.agentUses();
    return {
      agents: [toBuiltIn(uses), ...all.map((found) => toView(agents, found, uses.get(found.name)))],
      broken: broken.map(({ file, error }) => {
        const [, line = '1', reason = error.message] = /^:(\d+): ([^]*)$/.exec(error.message.slice(file.length)) ?? [];
        return { file, line: Number(line), reason, hint: error.hint ?? null };
      }),
    };
  },

  async agent({ params, query }, context) {
    const agents = openAgents(context, query);
    const uses = await context.klaus.store.agentUses();
    if (params.name === BUILT_IN_AGENT) {
      const { name, description, capabilities } = KLAUS;
      const definition = { name, description, capabilities, systemPrompt: '' };
      return { ...toBuiltIn(uses), ...describeAny(agents, definition), definition, hash: '' };
    }
    const found = await agents.find(params.name);
    const { definition, hash } = found;
    return { ...toView(agents, found, uses.get(found.name)), ...describeAny(agents, definition), definition, hash };
  },

  async createAgent({ query, body }, context) {
    const agents = openAgents(context, query);
    const described = describeValid(agents, body);
    const file = query.dryRun ? null : await agents.save(body, { place: query.place });
    const name = query.place === 'project' ? toProjectAgent(body.name) : body.name;
    return { name, file, ...described };
  },

  async changeAgent({ params, query, body }, context) {
    const agents = openAgents(context, query);
    const { definition, from } = await agents.find(params.name);
    if (body.name !== definition.name) {
      throw toInvalid('name', new KlausError('usage', 'The name of an agent cannot be changed.'));
    }
    const described = describeValid(agents, body);
    const file = query.dryRun ? null : await agents.save(body, { replace: true, place: from, expected: query.hash });
    return { name: params.name, file, ...described };
  },

  async deleteAgent({ params, query }, context) {
    const { file } = await openAgents(context, query).remove(params.name, { expected: query.hash });
    return { name: params.name, file };
  },
} satisfies PartialHandlers;

function toBuiltIn(uses: ReadonlyMap<string, string>): AgentView {
  return { ...KLAUS, lastUsed: uses.get(BUILT_IN_AGENT) ?? null };
}

function toView(agents: Agents, found: FoundAgent, used: string | undefined): AgentView {
  const { name, from, definition, file, hides } = found;
  const { description, capabilities = [], grants = [], tools, model } = definition;
  const uses = [used, definition.last_used].filter((at) => at != null);
  return {
    name,
    description,
    capabilities,
    isChatOnly: [...capabilities, ...grants, ...(tools ?? [])].length === 0,
    tools: tools ?? null,
    model: model ?? null,
    file,
    hides: [...hides],
    source: from,
    untrusted: toUntrusted(agents, found),
    lastUsed: uses.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0] ?? null,
  };
}

/** Also for a definition whose authority cannot be computed. */
function toUntrusted(agents: Agents, found: FoundAgent): string[] {
  try {
    return [...agents.untrusted(found)];
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return [];
  }
}

/** @throws KlausError `config`, `usage` for an unknown capability or an invalid grant. */
function describe(agents: Agents, definition: AgentDefinition) {
  const { grant, lines, unknownTools } = agents.describe(definition);
  const toTexts = (isAllowed: boolean): string[] =>
    lines.flatMap(({ allows, text }) => (allows === isAllowed ? [text] : []));
  return { grant, may: toTexts(true), cannot: toTexts(false), unknownTools: [...unknownTools] };
}

/** The same for a definition that can be wrong, so that a client can correct it. */
function describeAny(agents: Agents, definition: AgentDefinition) {
  try {
    return { ...describe(agents, definition), problem: null };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { grant: '', may: [], cannot: [], unknownTools: [], problem: error.message };
  }
}

/** The same for a definition of the request. @throws Refusal 400 with the field. */
function describeValid(agents: Agents, definition: AgentDefinition) {
  try {
    return describe(agents, definition);
  } catch (error) {
    if (!isKlausError(error)) throw error;
    throw toInvalid(error.code === 'config' ? 'capabilities' : 'grants', error);
  }
}

function toInvalid(path: string, { message, hint }: KlausError): Refusal {
  return new Refusal(400, 'usage', { title: message, detail: hint, errors: [{ path, message }] });
}
