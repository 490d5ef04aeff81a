import { isSessionTool, type AgentGrant } from '@klaus/core/agent';
import {
  allowsTool,
  BUNDLE_NAMES,
  isBundleName,
  parseGrants,
  toGrant,
  toNetAuthorities,
  type ConfiguredHosts,
} from '@klaus/core/policy';
import { KlausError, toNearest, type AgentDefinition, type Authority, type Effect } from '@klaus/core/protocol';
import { CLAUDE_TOOLS } from './claude-tools.ts';

/** What is known of a tool. */
export interface AgentTool {
  readonly name: string;
  readonly effects: readonly Effect[];
}

export interface AgentGrantPlace {
  /** Absolute real path. */
  workspace: string;
  /** Unix milliseconds. */
  now: number;
  /** All tools. */
  tools: readonly AgentTool[];
  /** The registries that the user configured. Default: none. */
  registries?: () => ConfiguredHosts;
}

/**
 * The authority that a definition requests in a workspace. Without capabilities, grants and tools it is empty, so that
 * the agent can only chat. Tools without capabilities request the least authority that their effects need.
 *
 * @throws KlausError `config` for an unknown capability, `usage` for an invalid grant.
 */
export function toAgentGrant(
  definition: Pick<AgentDefinition, 'name' | 'capabilities' | 'grants' | 'allowNet' | 'tools' | 'disallowedTools'>,
  { workspace, now, tools, registries = () => ({}) }: AgentGrantPlace,
): AgentGrant {
  const { capabilities = [], grants = [], allowNet = [] } = definition;
  const wrong = capabilities.find((name) => !isBundleName(name));
  if (wrong !== undefined) {
    const nearest = toNearest(wrong, BUNDLE_NAMES);
    throw new KlausError('config', `The agent ${definition.name} has the unknown capability ${wrong}.`, {
      hint: nearest === undefined ? `Capabilities are ${BUNDLE_NAMES.join(', ')}.` : `Did you mean ${nearest}?`,
    });
  }
  const listed = definition.tools && findTools(definition.tools, tools);
  const removed = findTools(definition.disallowedTools ?? [], tools);
  const unknownTools = [...(listed?.unknown ?? []), ...removed.unknown];
  const isNamed = ({ name }: AgentTool): boolean => (listed?.names.has(name) ?? true) && !removed.names.has(name);
  const isRequested = capabilities.length > 0 || grants.length > 0;
  const named = isRequested
    ? parseGrants([...capabilities, ...grants], { workspace, now })
    : toGrant(listed ? tools.filter(isNamed).flatMap(({ effects }) => toLeast(effects, workspace)) : []);
  const hosts = allowNet.length > 0 ? toNetAuthorities(allowNet, registries()) : [];
  const requested = { ...named, authorities: [...named.authorities, ...hosts] };
  if (listed === undefined && removed.names.size === 0) return { grant: requested, unknownTools };
  const held = requested.authorities.filter(({ kind }) => kind !== 'tool');
  // A list names its tools; without one, they are those that the request covers.
  const usable = tools.filter(
    (tool) => isNamed(tool) && (listed !== undefined || allowsTool(requested, tool.name, now)),
  );
  // Without other authority only tools without effects are of use.
  const isOfUse = ({ effects }: AgentTool): boolean => held.length > 0 || effects.length === 0;
  const ofServers = [...(listed?.names ?? [])].filter((name) => isSessionTool(name) && !removed.names.has(name));
  const names = [...usable.filter(isOfUse).map(({ name }) => name), ...(held.length > 0 ? ofServers : [])];
  const authorities = names.map((name): Authority => ({ kind: 'tool', name }));
  return { grant: { ...requested, authorities: [...held, ...authorities] }, unknownTools };
}

/** Names of ours, and of Claude Code's tools. */
function findTools(named: readonly string[], tools: readonly AgentTool[]): { names: Set<string>; unknown: string[] } {
  const names = new Set<string>();
  const unknown: string[] = [];
  for (const name of named) {
    const own = Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : [name];
    // The tools of MCP servers are only known when the server runs.
    const found = own.filter((one) => isSessionTool(one) || tools.some((tool) => tool.name === one));
    if (found.length === 0) unknown.push(name);
    for (const one of found) names.add(one);
  }
  return { names, unknown };
}

/** The least authority with which a tool of these effects is of use. */
function toLeast(effects: readonly Effect[], path: string): Authority[] {
  const least: Readonly<Record<Effect, readonly Authority[]>> = {
    read: [{ kind: 'fs', path, rights: 'r' }],
    write: [{ kind: 'fs', path, rights: 'rw' }],
    execute: [{ kind: 'fs', path, rights: 'rx' }, { kind: 'exec' }],
    network: [80, 443].map((port) => ({ kind: 'net', host: '*', port })),
    // Only by name: they reach further than their tool.
    deploy: [],
    spawn: [],
  };
  return effects.flatMap((effect) => least[effect]);
}
