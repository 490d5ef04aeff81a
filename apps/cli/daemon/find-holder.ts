import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toHome } from '@klaus/sdk/home';
import { readDescriptor } from './server-descriptor.ts';

/**
 * The process that holds a session, from the kernel's list of locks (proc(5), `/proc/locks`). Undefined if there is none,
 * if it is the server of this state folder, and on other systems than Linux.
 */
export function findHolder(session: string): number | undefined {
  const home = toHome(process.env, process.cwd());
  const inode = statSync(join(home, 'locks', `${session}.lock`), { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return undefined;
  let locks: string;
  try {
    locks = readFileSync('/proc/locks', 'utf8');
  } catch {
    return undefined;
  }
  // "1: POSIX  ADVISORY  WRITE 5433 08:01:7864448 128 128"
  const found = locks.split('\n').find((line) => line.includes(' WRITE ') && line.includes(`:${inode} `));
  const pid = Number(found?.trim().split(/\s+/)[4]);
  const isServer = pid === readDescriptor(join(home, 'server', 'klaus.sock'))?.pid;
  return Number.isInteger(pid) && pid > 1 && pid !== process.pid && !isServer ? pid : undefined;
}
