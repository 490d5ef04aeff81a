import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilterProxy } from './filter-proxy.ts';
import { isLocalRule, parseHostRule } from './host-rules.ts';
import { NODE, RELAY, RELAY_PORT, RELAY_TEXT, SOCKET } from './relay.ts';

/** The way out of the network of one command, which has no other one. */
export interface Gateway {
  /** On this machine: its socket and what the command needs to reach it. */
  folder: string;
  /** By which programs find it. */
  variables: Readonly<Record<string, string>>;
  /** Hosts that were asked for and not allowed, as `host:port`. */
  refused: ReadonlySet<string>;
  /** Ends every connection. */
  close(): void;
}

/** More are no help. */
const MAX_REFUSED = 20;

/**
 * Opens a gateway for a command.
 *
 * @param hosts As {@link parseHostRule} reads them.
 * @param env The user's environment, for the proxy that they use themselves.
 * @throws KlausError `usage` for what is no host.
 */
export async function openGateway(
  hosts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Gateway> {
  const rules = hosts.map(parseHostRule);
  const refused = new Set<string>();
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'klaus-net-')));
  const server = createFilterProxy({
    rules,
    env,
    onRefused: (authority) => void (refused.size < MAX_REFUSED && refused.add(authority)),
  });
  // The server itself forgets those that became tunnels.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileSync(join(folder, RELAY), RELAY_TEXT);
    // Where the program is mounted.
    writeFileSync(join(folder, NODE), '');
    await once(server.listen(join(folder, SOCKET)), 'listening');
  } catch (error) {
    close();
    throw error;
  }
  return { folder, refused, close, variables: toVariables(rules.some(isLocalRule)) };
}

/** @param isLocal True: Java reaches servers of this machine too, and no longer those that its tests start. */
function toVariables(isLocal: boolean): Record<string, string> {
  const url = `http://127.0.0.1:${RELAY_PORT}`;
  // Yarn has names of its own.
  const names = ['HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => [name, name.toLowerCase(), `YARN_${name}`]);
  const java = ['http', 'https'].flatMap((kind) => [
    `-D${kind}.proxyHost=127.0.0.1`,
    `-D${kind}.proxyPort=${RELAY_PORT}`,
  ]);
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    // A registry on this machine is refused by its name rather than looked for in the command's own network.
    NO_PROXY: '',
    no_proxy: '',
    JAVA_TOOL_OPTIONS: [...java, ...(isLocal ? ['-Dhttp.nonProxyHosts='] : [])].join(' '),
  };
}
