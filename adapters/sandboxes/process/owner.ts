import { readlinkSync } from 'node:fs';
import { readProcess } from './process-table.ts';

/** `<pid namespace>-<pid>-<start time>`: identifies a process on this machine, also across containers. */
const OWNER = /^(\d+)-(\d+)-(\d+)$/;

let own: string | undefined;

/** The name of this process, for files that another Klaus process may read. */
export function ownName(): string {
  own ??= `${ownNamespace()}-${process.pid}-${readProcess(process.pid)?.startTime ?? 0}`;
  return own;
}

/** True when the named process has certainly ended. False for one in another pid namespace, which cannot be checked. */
export function isGone(owner: string): boolean {
  const [, namespace, pid, startTime] = OWNER.exec(owner) ?? [];
  return pid !== undefined && namespace === ownNamespace() && readProcess(Number(pid))?.startTime !== startTime;
}

export function ownNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
