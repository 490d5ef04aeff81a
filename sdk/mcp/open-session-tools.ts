import type { SessionTools, SessionToolsHost } from '@klaus/core/agent';
import { KlausError, type EventOf, type SessionMcpServer } from '@klaus/core/protocol';
import type * as Mcp from '@klaus/adapters/mcp';
import type { LoginStore, SessionServer } from '@klaus/adapters/mcp';
import { openLoginStore } from './login-store.ts';
import { rememberPrompts } from './mcp-prompts.ts';
import { readEntries, toEntryHash } from './mcp-files.ts';
import { openPinStore } from './tool-pins.ts';
import { toMcpPlace } from './session-servers.ts';

/** Headers whose values are secret. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;

interface Place {
  /** State folder, absolute. */
  home: string;
  /** Of the user. */
  env: Readonly<Record<string, string | undefined>>;
}

/** The tools of the MCP servers of a session. The client of the protocol is loaded with the first of them. */
export function openSessionTools(
  { workspace, mcpServers = [] }: EventOf<'session.opened'>,
  { host, ...place }: Place & { host: SessionToolsHost },
): SessionTools {
  let opened: Promise<SessionTools> | undefined;
  const open = (): Promise<SessionTools> =>
    (opened ??= import('@klaus/adapters/mcp').then(({ createSessionTools, ...config }) =>
      createSessionTools(
        mcpServers.map((server) => toSessionServer(server, { ...place, workspace, ...config })),
        host,
      ),
    ));
  return {
    list: async (signal, ask) => (await open()).list(signal, ask),
    find: async (name, signal) => (await open()).find(name, signal),
    close: async () => (await opened)?.close(),
  };
}

function toSessionServer(
  { name, from, hash }: SessionMcpServer,
  {
    home,
    env,
    workspace,
    toMcpServer,
    findVariables,
  }: Place & { workspace: string } & Pick<typeof Mcp, 'toMcpServer' | 'findVariables'>,
): SessionServer {
  const read = (): unknown => {
    const entry = readEntries(toMcpPlace(home, workspace), from)[name];
    if (entry !== undefined && toEntryHash(entry) === hash) return entry;
    throw new KlausError('config', `The entry of the MCP server ${name} has changed since the session was opened.`, {
      hint: 'Read it, trust it with `klaus mcp trust`, and open a new session.',
    });
  };
  /** The address of the server decides which login it gets. */
  const openLogin = (): LoginStore | undefined => {
    const server = toMcpServer(name, read(), env);
    return server.kind === 'http' ? openLoginStore({ home, env }, { name, url: server.url }) : undefined;
  };
  return {
    name,
    pins: openPinStore(toMcpPlace(home, workspace), { name, from }),
    onPrompts: (prompts) => rememberPrompts(home, hash, [...prompts]),
    read: () => toMcpServer(name, read(), env),
    login: {
      read: async () => openLogin()?.read(),
      write: async (text) => openLogin()?.write(text),
    },
    secrets() {
      const entry = read();
      const server = toMcpServer(name, entry, env);
      const headers =
        server.kind === 'http' ? Object.entries(server.headers).filter(([key]) => SECRET_HEADER.test(key)) : [];
      const variables = findVariables(entry).map((key) => [key, env[key] ?? ''] as const);
      // A path, such as that of the home folder, is in many texts.
      const all = [...headers, ...variables].filter(([, value]) => !value.startsWith('/'));
      return all.map(([key, value]) => ({ name: `mcp-${name}-${key}`, value: value.replace(/^Bearer /i, '') }));
    },
  };
}
