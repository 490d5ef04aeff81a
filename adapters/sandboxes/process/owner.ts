import { readlinkSync } from 'node:fs';
import { readProcess } from './process-table.ts';

/** `<pid namespace>-<pid>-<start time>`: names one process on this machine, also across containers. */
const OWNER = /^(\d+)-(\d+)-(\d+)$/;

let own: string | undefined;

/** This process, to be written where a later Klaus can find it. */
export function ownName(): string {
  own ??= `${ownNamespace()}-${process.pid}-${readProcess(process.pid)?.startTime ?? 0}`;
  return own;
}

/**
 * True when the named process is certainly no more. False for one in another pid namespace: its id means nothing
 * here, and its own Klaus sees to it.
 */
export function isGone(owner: string): boolean {
  const [, namespace, pid, startTime] = OWNER.exec(owner) ?? [];
  return pid !== undefined && namespace === ownNamespace() && readProcess(Number(pid))?.startTime !== startTime;
}

/** The pid namespace of this process: what process ids count in. */
export function ownNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
