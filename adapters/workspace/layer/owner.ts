import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from '../journal.ts';

/** `<boot>.<pid namespace>.<pid>.<start time>`: identifies a process. */
const OWNER = /^([0-9a-f]*)\.(\d+)\.(\d+)\.(\d+)$/;

let own: string | undefined;

/** The name of this process as a part of file names, by which another Klaus process finds the owner of a file. */
export function ownName(): string {
  own ??= [bootId().slice(0, 8), pidNamespace(), process.pid, startTimeOf(process.pid) ?? '0'].join('.');
  return own;
}

/**
 * True when the named process has certainly ended. False for a process in another pid namespace, where its id has no
 * meaning for this process, unless the machine has restarted.
 */
export function isGone(owner: string): boolean {
  const [, boot, namespace, pid, startTime] = OWNER.exec(owner) ?? [];
  if (boot === undefined) return false;
  if (boot !== bootId().slice(0, 8)) return true;
  if (namespace !== pidNamespace()) return false;
  if (startTime === '0') return !isAlive(Number(pid));
  return startTimeOf(Number(pid)) !== startTime;
}

/** Identifies the last start of the machine; empty if unknown. Linux: random(4). */
export function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id').replaceAll(/[^0-9a-f]/g, '');
}

/** Clock ticks since boot; undefined without such a process or without /proc. Source: proc_pid_stat(5). */
function startTimeOf(pid: number): string | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name is in parentheses and may contain spaces and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : fields[18];
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
