import type { AgentHead } from './agent-definition.ts';

/** Configurations of MCP servers, by name. */
export type McpServers<Server> = Readonly<Record<string, Server>>;

export interface McpResolution<Server> {
  servers: McpServers<Server>;
  /** Names of the definition that are configured nowhere. The agent cannot start with them. */
  unknown: readonly string[];
}

/**
 * The MCP servers of an agent. A list in its definition overrides everything, also an empty one. Otherwise it has those
 * of the project, unless `inheritProjectMcps` is false, and those of its parent if `inheritParentMcps` is true. Of two
 * servers with one name it gets the project's.
 */
export function resolveMcpServers<Server>(
  definition: Pick<AgentHead, 'mcpServers' | 'inheritProjectMcps' | 'inheritParentMcps'>,
  { project, parent = {} }: { project: McpServers<Server>; parent?: McpServers<Server> },
): McpResolution<Server> {
  const { mcpServers, inheritProjectMcps = true, inheritParentMcps = false } = definition;
  if (mcpServers) {
    const known = { ...parent, ...project };
    const [named, unknown] = [true, false].map((isKnown) =>
      mcpServers.filter((name) => Object.hasOwn(known, name) === isKnown),
    ) as [string[], string[]];
    return { servers: Object.fromEntries(named.map((name) => [name, known[name]!])), unknown };
  }
  return { servers: { ...(inheritParentMcps ? parent : {}), ...(inheritProjectMcps ? project : {}) }, unknown: [] };
}
