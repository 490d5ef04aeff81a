import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownName } from '../process/owner.ts';
import type { Relay } from '@klaus/core/agent';
import { createFilterProxy, type FilterProxyOptions } from './filter-proxy.ts';
import { isLocalRule } from '@klaus/core/policy';
import { NODE, RELAY, RELAY_PORT, RELAY_TEXT, SOCKET } from './relay.ts';

/** The only connection of a command's network to other hosts. */
export interface Gateway extends Relay {
  /** Variables through which programs find it. */
  variables: Readonly<Record<string, string>>;
  /** Refused hosts, as `host:port`. */
  refused: ReadonlySet<string>;
  /** Hosts to which connections were opened. */
  reached: ReadonlySet<string>;
  close(): void;
}

const MAX_REFUSED = 20;
const MAX_REACHED = 1_000;

export async function openGateway(options: Omit<FilterProxyOptions, 'onRefused' | 'onReached'>): Promise<Gateway> {
  const refused = new Set<string>();
  const reached = new Set<string>();
  const server = createFilterProxy({
    ...options,
    onRefused: (authority) => void (refused.size < MAX_REFUSED && refused.add(authority)),
    onReached: (authority) => void (reached.size < MAX_REACHED && reached.add(authority)),
  });
  return { ...openRelay(() => server), refused, reached, variables: toVariables(options.rules.some(isLocalRule)) };
}

/** A relay with a new folder. @param open Returns a server that does not listen yet. */
export function openRelay(open: () => Server | Promise<Server>): Pick<Gateway, 'folder' | 'serve' | 'close'> {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), `klaus-net-${ownName()}-`)));
  // A server does not track connections that became tunnels.
  const opened = new Set<Server | Socket>();
  const end = (): void => {
    for (const each of opened)
      if ('destroy' in each) each.destroy();
      else each.close();
    opened.clear();
  };
  const close = (): void => {
    end();
    rmSync(folder, { recursive: true, force: true });
  };
  const serve = async (listener?: unknown): Promise<void> => {
    const server = await open();
    // The command is started again if its sandbox could not be made.
    end();
    opened.add(server);
    server.on('connection', (socket: Socket) => {
      opened.add(socket);
      socket.on('close', () => opened.delete(socket));
    });
    if (listener === undefined) {
      writeFileSync(join(folder, RELAY), RELAY_TEXT);
      // The mount point of the Node program.
      writeFileSync(join(folder, NODE), '');
    }
    await once(server.listen(listener ?? join(folder, SOCKET)), 'listening');
  };
  return { folder, serve, close };
}

/** @param isLocal True: Java reaches servers of this machine, but not those that its own tests start. */
function toVariables(isLocal: boolean): Record<string, string> {
  const url = `http://127.0.0.1:${RELAY_PORT}`;
  // Yarn uses other names.
  const names = ['HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => [name, name.toLowerCase(), `YARN_${name}`]);
  const java = ['http', 'https'].flatMap((kind) => [
    `-D${kind}.proxyHost=127.0.0.1`,
    `-D${kind}.proxyPort=${RELAY_PORT}`,
  ]);
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    // A registry on this machine is then refused by the gateway instead of searched in the command's own network.
    NO_PROXY: '',
    no_proxy: '',
    JAVA_TOOL_OPTIONS: [...java, ...(isLocal ? ['-Dhttp.nonProxyHosts='] : [])].join(' '),
  };
}
