import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { findUserProxy, isOwnPort, type Environment, type UserProxy } from '@klaus/adapters/system';
import { classifyAddress, toAllowedAddresses, type HostRule } from '@klaus/core/policy';

export interface Target {
  /** Lower case, without brackets. */
  host: string;
  port: number;
  rule: HostRule;
}

/** How connections are opened. */
export interface UpstreamOptions {
  /** The user's environment, which may contain a proxy. */
  env: Environment;
  /** Resolves a name once for each connection. Default: the resolver of the system. */
  resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
  /** Opens a connection to one of the addresses that `lookup` of the options returns. Default: that of `node:net`. */
  dial?: (options: TcpNetConnectOpts) => Socket;
}

export interface ResolvedAddress {
  address: string;
  family: number;
}

const MAX_ANSWER = 16_384;
const CONNECT_MS = 30_000;

/** Opens a connection: directly, after its address was checked, or through the user's proxy. @throws Error */
export async function openConnection(target: Target, options: UpstreamOptions): Promise<Socket> {
  const proxy = findUserProxy(options.env, target);
  if (!proxy) return await open(target, options);
  await checkKnown(target, options);
  return await openThrough(proxy, target);
}

/**
 * Before a proxy of the user resolves a name: where this machine resolves it, its addresses must be allowed as for a
 * direct connection to public addresses, and no server of this process.
 *
 * @throws Error
 */
async function checkKnown({ host, port, rule }: Target, options: UpstreamOptions): Promise<void> {
  const found = await findAddresses(host, options).catch(() => []);
  const isRefused = ({ address }: ResolvedAddress): boolean =>
    isOwnPort(address, port) || (rule.isPublicOnly === true && classifyAddress(address) !== 'public');
  if (found.some(isRefused)) throw new Error(toRefusal(host));
}

async function findAddresses(host: string, { resolve }: UpstreamOptions): Promise<readonly ResolvedAddress[]> {
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }];
  return resolve ? await resolve(host) : await lookup(host, { all: true });
}

function toRefusal(host: string): string {
  return `${host} leads to an address that is not allowed for this name`;
}

async function open({ host, port, rule }: Target, options: UpstreamOptions): Promise<Socket> {
  const { dial = connect } = options;
  const found = await findAddresses(host, options);
  const allowed = new Set(
    toAllowedAddresses(
      rule,
      found.map(({ address }) => address),
    ),
  );
  const addresses = found.filter(({ address }) => allowed.has(address) && !isOwnPort(address, port));
  if (addresses.length === 0) throw new Error(toRefusal(host));
  const socket = dial({
    host,
    port,
    autoSelectFamily: true,
    // Connect to the checked addresses.
    lookup: (_name, { all }, done) =>
      all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family),
  });
  return await waitFor(socket, 'connect');
}

async function openThrough({ url, authorization }: UserProxy, { host, port }: Target): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (isSecure ? 443 : 80)) };
  const socket = isSecure
    ? await waitFor((await import('node:tls')).connect({ ...at, servername: at.host }), 'secureConnect')
    : await waitFor(connect(at), 'connect');
  const name = host.includes(':') ? `[${host}]` : host;
  const lines = [`CONNECT ${name}:${port} HTTP/1.1`, `Host: ${name}:${port}`];
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await readStatus(socket);
  if (status === 200) return socket;
  socket.destroy();
  throw new Error(`the proxy ${at.host} answered ${status ?? 'nothing'}`);
}

/** Reads the response to CONNECT without reading any byte after it. */
async function readStatus(socket: Socket): Promise<number | undefined> {
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    const byte = socket.read(1) as Buffer | null;
    if (byte) head += byte.toString('latin1');
    else if (socket.readableEnded || socket.destroyed || head.length > MAX_ANSWER) return undefined;
    else await Promise.race([once(socket, 'readable'), once(socket, 'close')]).catch(() => {});
  }
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]) || undefined;
}

async function waitFor<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(CONNECT_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
