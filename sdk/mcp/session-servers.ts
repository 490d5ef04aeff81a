import { toMcpServer, toPlace } from '@klaus/adapters/mcp-config';
import { findOriginal } from '@klaus/adapters/workspace';
import {
  isKlausError,
  KlausError,
  resolveMcpServers,
  type AgentDefinition,
  type Authority,
  type SessionMcpServer,
} from '@klaus/core/protocol';
import { isTrusted, readEntries, toEntryHash, type McpPlace } from './mcp-files.ts';

type Selection = Pick<AgentDefinition, 'mcpServers' | 'inheritProjectMcps' | 'inheritParentMcps'>;

export interface FoundServers {
  servers: SessionMcpServer[];
  /** Addresses of the servers, which the user allows with them. */
  addresses: Authority[];
  /** Names of servers of the project that are left out because the user does not trust them. */
  untrusted: string[];
}

/** The MCP servers of the session from which another is started. */
export interface ParentServers {
  /** Absolute real path; empty without a session. */
  workspace: string;
  /** Of a session that the loop drives. */
  servers: readonly SessionMcpServer[];
  /** Names in `.mcp.json`, of a session that another program drives. */
  names: readonly string[];
}

export const NO_SERVERS: ParentServers = { workspace: '', servers: [], names: [] };

/**
 * The MCP servers of a session that opens: those of the user, and those of the project that the user trusts, as the
 * definition of its agent selects them.
 *
 * @param at.env Of the user, for variables in addresses.
 * @param at.trustsAll The user trusts the servers of the project for this session.
 * @param at.parent Of the session from which it is started. Those of a project are inherited in the same workspace only.
 * @throws KlausError `config` for an unreadable file, or a name in the definition that is configured nowhere; `usage` for
 *   one that the user does not trust.
 */
export function findSessionServers(
  definition: Selection,
  at: {
    home: string;
    workspace: string;
    env: Readonly<Record<string, string | undefined>>;
    trustsAll: boolean;
    parent: ParentServers;
  },
): FoundServers {
  const place = toMcpPlace(at.home, at.workspace);
  const ofProject = Object.entries(readEntries(place, 'project'));
  const untrusted = ofProject
    .filter(([name, entry]) => !at.trustsAll && !isTrusted(place, name, entry))
    .map(([name]) => name);
  const entries = { project: readEntries(place, 'project'), user: readEntries(place, 'user') };
  const toServer = (from: SessionMcpServer['from'], name: string): SessionMcpServer => ({
    name,
    from,
    hash: toEntryHash(entries[from][name]),
  });
  const project = Object.fromEntries([
    ...Object.keys(entries.user).map((name) => [name, toServer('user', name)] as const),
    ...ofProject
      .filter(([name]) => !untrusted.includes(name))
      .map(([name]) => [name, toServer('project', name)] as const),
  ]);
  const isSame = at.parent.workspace !== '' && toMcpPlace(at.home, at.parent.workspace).folder === place.folder;
  const inherited = at.parent.servers.filter(({ from }) => from === 'user' || isSame);
  const parent = Object.fromEntries([
    ...at.parent.names.flatMap((name) => (isSame && project[name] ? [[name, project[name]] as const] : [])),
    ...inherited.map((server) => [server.name, server] as const),
  ]);
  const { servers, unknown } = resolveMcpServers(definition, { project, parent });
  const refused = unknown.filter((name) => untrusted.includes(name));
  if (refused.length > 0) {
    throw new KlausError(
      'usage',
      `The agent uses the MCP server ${refused[0]} of this project, which you have not trusted.`,
      {
        hint: `Read .mcp.json, then run \`klaus mcp trust ${refused[0]}\`.`,
      },
    );
  }
  if (unknown.length > 0) {
    throw new KlausError('config', `There is no MCP server ${unknown.join(', ')}.`, {
      hint: 'Add it with `klaus mcp add`, or remove its name from `mcpServers` of the definition.',
    });
  }
  const found = Object.values(servers);
  const isOpen = definition.mcpServers === undefined && definition.inheritProjectMcps !== false;
  return {
    servers: found,
    addresses: found.flatMap(({ name, from }) => toAddress(name, entries[from][name], at.env)),
    untrusted: isOpen ? untrusted : [],
  };
}

/** The servers of a child session: those of its parent that its definition selects. */
export function selectServers(definition: Selection, parent: readonly SessionMcpServer[]): SessionMcpServer[] {
  const all = Object.fromEntries(parent.map((server) => [server.name, server]));
  return Object.values(resolveMcpServers(definition, { project: all, parent: all }).servers);
}

/** Where the servers of a workspace are configured. Those of a working copy are trusted with its repository. */
export function toMcpPlace(home: string, workspace: string): McpPlace {
  return { home, folder: findOriginal(home, workspace) ?? workspace };
}

/** The address of a server over HTTP. None for a program, and for an entry that cannot be used as it is. */
export function toAddress(
  name: string,
  entry: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Extract<Authority, { kind: 'net' }>[] {
  try {
    const server = toMcpServer(name, entry, env);
    return server.kind === 'http' ? [{ kind: 'net', ...toPlace(server) }] : [];
  } catch (error) {
    // The first call of the server reports it.
    if (isKlausError(error)) return [];
    throw error;
  }
}
