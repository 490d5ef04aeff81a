import { lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { contains } from '../paths.ts';
import { toReal } from './credential-scan.ts';

export interface SocketScope {
  /** Folders that commands see, as the sandbox names them. */
  shown: readonly string[];
  /** Those of them that commands may write, and so make sockets in. */
  writable: readonly string[];
  /** First processes of the sandboxes that are at work: what they listen on belongs to no program of the machine. */
  sandboxes: () => readonly number[];
  /** True: the command shares the network of this process, and cannot be told from a program of the machine. */
  network: boolean;
  /** When the first of the session's commands could run, in milliseconds since 1970. */
  since: number;
}

/**
 * The Unix sockets of the machine that a command would reach: a read-only mount does not stop `connect`. Those that
 * the kernel names for the network of this process, and of those that were found by a look into the folders what no
 * command of the session made: it can belong to a program in another network, as that of a container. Nobody is asked
 * by a connection whether he listens, for that alone ends some programs.
 *
 * @param found Paths that may be sockets; what is none is left out.
 * @returns Absolute paths.
 */
export function findSockets(found: readonly string[], scope: SocketScope): string[] {
  const names = readBound('self');
  const bound = toPaths(names, scope.shown);
  const others = found.filter((path) => !bound.includes(path) && isSocket(path));
  const isNamed = (path: string): boolean => names.some((name) => !name.startsWith('/') && path.endsWith(`/${name}`));
  let own: ReadonlySet<string> | undefined;
  const isOwn = (path: string): boolean => {
    own ??= new Set(scope.sandboxes().flatMap((pid) => (sharesNetwork(pid) ? [] : readBound(pid))));
    return isFromCommand(path, scope) || own.has(path);
  };
  const isMachines = (path: string): boolean => !scope.network || !isFromCommand(path, scope);
  return [...bound.filter(isMachines), ...others.filter((path) => (isNamed(path) ? isMachines(path) : !isOwn(path)))];
}

/** Made since then, in a folder where a command may have done it. */
function isFromCommand(path: string, { writable, since }: SocketScope): boolean {
  const made = statOf(path)?.birthtimeMs;
  return made !== undefined && Number(made) >= since && writable.some((folder) => contains(folder, path));
}

/** The names that sockets were bound to, in the network namespace of a process. */
function readBound(pid: number | 'self'): string[] {
  try {
    // Num RefCount Protocol Flags Type St Inode Path
    const lines = readFileSync(`/proc/${pid}/net/unix`, 'utf8').split('\n').slice(1);
    const names = lines.map((line) => /^(?:\S+\s+){7}(.+)$/.exec(line)?.[1] ?? '');
    return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('@'));
  } catch {
    // The process is gone, or this is no Linux.
    return [];
  }
}

/** Real paths of those that lie in the folders. A relative name is looked for in each of them, and in its `.git`. */
function toPaths(names: readonly string[], shown: readonly string[]): string[] {
  const paths = names.flatMap((name) =>
    name.startsWith('/') ? [name] : shown.flatMap((folder) => [`${folder}/${name}`, `${folder}/.git/${name}`]),
  );
  const reals = new Set(paths.map(toReal).filter((path) => path !== undefined));
  return [...reals].filter((path) => shown.some((folder) => contains(folder, path)) && isSocket(path));
}

export function isSocket(path: string): boolean {
  return statOf(path)?.isSocket() === true;
}

/** True for a process whose network is that of this process, and where it cannot be known. */
export function sharesNetwork(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net');
  } catch {
    return true;
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
