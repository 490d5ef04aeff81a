import { BlockList, isIPv6, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Ports of the servers of this process, with the number of servers at each. */
const ports = new Map<number, number>();

/** Lets no session connect to a server of this process, as long as it listens. Call it before or after `listen`. */
export function protectPort<S extends Server>(server: S): S {
  const add = (): void => {
    const address = server.address() as AddressInfo | string | null;
    if (address === null || typeof address === 'string') return;
    const { port } = address;
    ports.set(port, (ports.get(port) ?? 0) + 1);
    server.once('close', () => {
      const left = (ports.get(port) ?? 1) - 1;
      if (left > 0) ports.set(port, left);
      else ports.delete(port);
    });
  };
  if (server.listening) add();
  else server.once('listening', add);
  return server;
}

/** True for a server of this process. @param address An IP address, as it is dialled. */
export function isOwnPort(address: string, port: number): boolean {
  if (!ports.has(port)) return false;
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8);
  own.addSubnet('0.0.0.0', 8);
  own.addSubnet('::', 127, 'ipv6');
  for (const each of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(each.address.split('%')[0]!, each.family === 'IPv4' ? 'ipv4' : 'ipv6');
  // An IPv4 address in an IPv6 one is compared as IPv4.
  return own.check(address.split('%')[0]!, isIPv6(address) ? 'ipv6' : 'ipv4');
}
