import type { Engine } from '@klaus/core/agent';
import { delegableOf, heldBy, intersect, toGrant } from '@klaus/core/policy';
import { KlausError, toNarrowerMode, type AgentDefinition, type Mode, type SessionRunner } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { toUserHome } from '../config/home.ts';
import { toOpeningGrant } from '../grants/opening-grant.ts';
import type { OpenOptions } from '../klaus-options.ts';
import { NO_SERVERS, type ParentServers } from '../mcp/session-servers.ts';
import { findClaude } from './find-claude.ts';
import { toOpeningLimits } from './opening-limits.ts';
import { toClaudeCode, toSessionRunner } from './open-runner.ts';

/** What opens a session, with the requests of its agent. */
export interface OpenAs {
  given: OpenOptions;
  /** Absent: Klaus itself. */
  agent?: AgentDefinition;
  /** The program that drives it. Absent: the loop of Klaus. */
  runner?: SessionRunner;
  /** The MCP servers of the session from which it is started. */
  parent: ParentServers;
  /** For the user. */
  warnings: readonly string[];
}

/** Modes of Claude Code, by the mode here. Those that approve everything request no mode. */
const MODES: Readonly<Record<NonNullable<AgentDefinition['permissionMode']>, Mode | undefined>> = {
  default: 'ask',
  acceptEdits: 'edits',
  plan: 'plan',
  dontAsk: undefined,
  bypassPermissions: undefined,
};

/**
 * Adds what the definition of the agent requests. The options of the user and the settings only narrow it.
 *
 * @param at.workspace Absolute real path. @param at.env Of the user.
 * @throws KlausError `usage` for an unknown agent, `config` for an invalid definition.
 */
export async function openAs(
  { engine, configuration, given }: { engine: Engine; configuration: Configuration; given: OpenOptions },
  { workspace, env }: { workspace: string; env: Readonly<Record<string, string | undefined>> },
): Promise<OpenAs> {
  const isTrusted = given.trustCommand === true;
  const asked = given.runner;
  const parent = await readServersOf(engine, given.startedBy);
  const ofParent = [...parent.names, ...parent.servers.map(({ name }) => name)];
  const toClaude = (): string => findClaude(configuration.values.claudeBinary ?? 'claude', env);
  if (given.agent === undefined) {
    if (asked === undefined) return { given, parent, warnings: [] };
    return {
      given,
      parent,
      runner: {
        ...toAskedRunner(asked, undefined, {
          model: given.model,
          workspace,
          isTrusted,
          ofParent,
          findClaude: toClaude,
        }),
        settingSources: given.settingSources,
      },
      warnings: [],
    };
  }
  const agents = engine.openAgents(workspace);
  const found = await agents.find(given.agent);
  const definition = { ...found.definition, name: found.name };
  const isTrustedAgent = isTrusted || found.isTrusted;
  const ofDefinition = toSessionRunner(found, {
    ...{
      isTrustedAgent,
      isTrusted,
      workspace,
      ofParent,
      findClaude: toClaude,
      home: toUserHome(env),
      state: engine.home,
    },
  });
  const own = ofDefinition && { ...ofDefinition, ...(given.model === undefined ? {} : { model: given.model }) };
  const runner =
    asked === undefined || asked === own?.name
      ? own
      : toAskedRunner(asked, definition, {
          model: given.model ?? definition.model,
          workspace,
          isTrusted,
          ofParent,
          findClaude: toClaude,
        });
  const requested = agents.grantOf(definition);
  const user =
    given.grant === undefined ? undefined : toOpeningGrant(given.grant, { workspace, now: engine.clock.now() });
  // Only the user decides what the agent may delegate of it.
  const grant = user ? toGrant(heldBy(intersect(requested.grant, user)), delegableOf(user)) : requested.grant;
  if (!isTrustedAgent)
    agents.checkTrust(found, {
      grant,
      hasModel: given.model !== undefined,
      hasFallback: given.fallback !== undefined,
    });
  const { approve } = configuration.values;
  const limits = toOpeningLimits(configuration, given);
  const { maxTurns = 0 } = definition;
  const turns =
    limits.turns === 0 || maxTurns === 0 ? Math.max(limits.turns, maxTurns) : Math.min(limits.turns, maxTurns);
  const temperature = given.temperature ?? definition.config?.temperature;
  const effort = given.effort ?? definition.effort;
  const model = given.model ?? toRequestedModel(definition);
  return {
    given: {
      ...given,
      grant,
      limits: { ...given.limits, turns },
      mode: toAgentMode(definition, given.mode ?? approve),
      chat: given.chat === true && definition.config?.preserve_history !== false,
      model,
      fallback: given.fallback ?? definition.fallback,
      temperature,
      effort,
    },
    agent: isTrustedAgent ? definition : { ...definition, mcpServers: [] },
    runner,
    parent,
    warnings: requested.unknownTools.map((name) => `The agent ${definition.name} names the unknown tool ${name}.`),
  };
}

/** The MCP servers of the session from which another is started. None without one. */
async function readServersOf({ store }: Engine, id: string | undefined): Promise<ParentServers> {
  if (id === undefined) return NO_SERVERS;
  for await (const [first] of store.read(id)) {
    if (first?.type !== 'session.opened') return NO_SERVERS;
    const { workspace, runner, mcpServers: servers = [] } = first;
    return { workspace, servers, names: runner?.mcpServers ?? [] };
  }
  return NO_SERVERS;
}

/** The program that the user asks for instead of that of the definition. @throws KlausError `usage` for `acp`. */
function toAskedRunner(
  name: NonNullable<OpenOptions['runner']>,
  definition: AgentDefinition | undefined,
  at: Parameters<typeof toClaudeCode>[1],
): SessionRunner {
  if (name === 'claude-code') return toClaudeCode(definition, at);
  throw new KlausError('usage', `The runner ${name} needs a definition that names its program.`, {
    hint: 'Choose an agent with `runner: acp` by --agent.',
  });
}

/** The mode of an agent: what it requests only narrows the given one. */
export function toAgentMode({ permissionMode }: AgentDefinition, given: Mode): Mode {
  return toNarrowerMode(given, (permissionMode && MODES[permissionMode]) ?? given);
}

/** `config.model` of an exported agent is an id of OpenRouter. */
export function toRequestedModel({ model, config }: AgentDefinition): string | undefined {
  const id = config?.model;
  if (model !== undefined) return model;
  return id === undefined || id.startsWith('openrouter/') ? id : `openrouter/${id}`;
}
