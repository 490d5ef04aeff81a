import { readFileSync } from 'node:fs';

/** State of a listening socket. @source man 5 proc, /proc/net/tcp; include/net/tcp_states.h */
const LISTEN = '0A';

/** True if a socket in the network namespace of a process listens on a TCP port. */
export function isListening(pid: number, port: number): boolean {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return ['tcp', 'tcp6'].some((name) =>
    readLines(`/proc/${pid}/net/${name}`).some((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      return state === LISTEN && local.endsWith(`:${wanted}`);
    }),
  );
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    return [];
  }
}
