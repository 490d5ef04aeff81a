import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isIPv4 } from 'node:net';

/** The program that listens at a port of this machine. */
export interface Listener {
  /** Name of the user to whom the socket belongs; `unknown` if the system does not say. */
  user: string;
  /** Name of the program; `unknown` if it is one of another user. */
  program: string;
}

/** State of a listening socket in the tables of Linux. */
const LISTENING = '0A';
const UNKNOWN = 'unknown';

/**
 * Finds who listens at an address of this machine, in `/proc/net/tcp` and `/proc/PID/fd`. Everything is `unknown` on
 * other systems, and for a socket of another network namespace.
 *
 * @param at.host An IPv4 address, or `::1`. A socket that listens at all addresses is found too, after one of this address.
 * @source https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 */
export function findListener(at: { host: string; port: number }): Listener {
  const wanted = toHexForms(at.host);
  const sockets = ['tcp', 'tcp6']
    .flatMap((table) => readLines(`/proc/net/${table}`))
    .flatMap((line) => {
      const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      const rank = wanted.indexOf(address);
      const isIt = state === LISTENING && rank >= 0 && Number.parseInt(port, 16) === at.port;
      return isIt ? [{ rank, uid, inode }] : [];
    });
  const [found] = sockets.toSorted((a, b) => a.rank - b.rank);
  return found
    ? { user: toUserName(found.uid), program: findProgram(found.inode) }
    : { user: UNKNOWN, program: UNKNOWN };
}

const ANY = '0'.repeat(32);
const IPV6_LOOPBACK = `${'0'.repeat(24)}01000000`;
const MAPPED = `${'0'.repeat(16)}FFFF0000`;

/** How the tables write an address, and those of sockets that accept connections to it: words of the host's byte order. */
function toHexForms(host: string): string[] {
  if (host === '::1') return [IPV6_LOOPBACK, ANY];
  if (!isIPv4(host)) return [];
  const bytes = host.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase());
  const word = bytes.toReversed().join('');
  return [word, MAPPED + word, '0'.repeat(8), ANY];
}

function toUserName(uid: string): string {
  const line = readLines('/etc/passwd').find((each) => each.split(':')[2] === uid);
  return line?.split(':')[0] ?? `user ${uid}`;
}

/** Only the processes of the same user can be searched. */
function findProgram(inode: string): string {
  const target = `socket:[${inode}]`;
  const pid = listNames('/proc').find(
    (name) =>
      /^\d+$/.test(name) && listNames(`/proc/${name}/fd`).some((fd) => readLink(`/proc/${name}/fd/${fd}`) === target),
  );
  return (pid !== undefined && readLines(`/proc/${pid}/comm`)[0]) || UNKNOWN;
}

function readLines(file: string): string[] {
  return attempt(() => readFileSync(file, 'utf8').split('\n')) ?? [];
}

function listNames(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function readLink(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}

/** Processes end while they are read, and those of others cannot be read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
