import { lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { contains, toRealPath } from '../paths.ts';

export interface SocketScope {
  /** Folders that commands see, as paths in the sandbox. */
  shown: readonly string[];
  /** The folders among them in which commands can create sockets. */
  writable: readonly string[];
  /** Init processes of the running sandboxes: their sockets do not belong to programs of the machine. */
  sandboxes: () => readonly number[];
  /** True if the command shares the network of this process: its sockets look like those of other programs. */
  network: boolean;
  /** Start of the session's first command, in milliseconds since 1970. */
  since: number;
}

/**
 * The Unix sockets of other programs that a command could connect to: a read-only mount does not prevent `connect`. These
 * are the sockets that the kernel lists for the network of this process, and sockets in the given folders that no command
 * of the session created, which can belong to a program in another network such as that of a container. Sockets are
 * never probed with a connection, because that ends some programs.
 *
 * @param found Paths that may be sockets; others are ignored.
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

function isFromCommand(path: string, { writable, since }: SocketScope): boolean {
  const made = statOf(path)?.birthtimeMs;
  return made !== undefined && Number(made) >= since && writable.some((folder) => contains(folder, path));
}

function readBound(pid: number | 'self'): string[] {
  try {
    // Num RefCount Protocol Flags Type St Inode Path
    const lines = readFileSync(`/proc/${pid}/net/unix`, 'utf8').split('\n').slice(1);
    const names = lines.map((line) => /^(?:\S+\s+){7}(.+)$/.exec(line)?.[1] ?? '');
    return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('@'));
  } catch {
    // The process has ended, or this is not Linux.
    return [];
  }
}

/** Real paths of the sockets in the folders. Relative names are resolved against each folder and its `.git`. */
function toPaths(names: readonly string[], shown: readonly string[]): string[] {
  const paths = names.flatMap((name) =>
    name.startsWith('/') ? [name] : shown.flatMap((folder) => [`${folder}/${name}`, `${folder}/.git/${name}`]),
  );
  const reals = new Set(paths.map(toRealPath).filter((path) => path !== undefined));
  return [...reals].filter((path) => shown.some((folder) => contains(folder, path)) && isSocket(path));
}

export function isSocket(path: string): boolean {
  return statOf(path)?.isSocket() === true;
}

/** True if a process shares the network of this process, or if that is unknown. */
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
