import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../process/process-table.ts';

const TRIES = 200;
/** Looks, a millisecond apart. Every lock of the kernel is given back before. */
const MOST_WAITS = 20;

export interface FreezeOptions {
  /** Folder of a version 2 control group that holds all members. */
  folder?: string | undefined;
  /** Ids of all members at this moment. */
  members: () => readonly number[];
}

/**
 * Stops every process of a command, children that are being born included, and returns what lets them go on. By
 * the control group where it can be frozen, else by SIGSTOP until two looks in a row find everything stopped.
 *
 * @returns Undefined when they cannot be stopped.
 */
export async function freeze({ folder, members }: FreezeOptions): Promise<(() => void) | undefined> {
  if (folder !== undefined) {
    const thaw = await freezeGroup(folder);
    if (thaw) return thaw;
  }
  const stopped = new Set<number>();
  const waits = new Map<number, number>();
  let quiet = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const all = members();
    for (const pid of all.filter((each) => !stopped.has(each))) {
      stopped.add(pid);
      acquire(String(pid));
    }
    const running = all.filter((pid) => !isStopped(pid, waits));
    if (running.length === 0) quiet++;
    else quiet = 0;
    if (quiet === 2) return () => resumeAll(stopped);
    for (const pid of running) sendSignal(pid, 'SIGSTOP');
    await sleep(1);
  }
  resumeAll(stopped);
  return undefined;
}

/** How many need each process, or group, to stand still. */
const holders = new Map<string, number>();

function acquire(name: string): void {
  holders.set(name, (holders.get(name) ?? 0) + 1);
}

/** True when nobody else needs it. */
function release(name: string): boolean {
  const count = (holders.get(name) ?? 1) - 1;
  if (count > 0) holders.set(name, count);
  else holders.delete(name);
  return count <= 0;
}

function resumeAll(stopped: ReadonlySet<number>): void {
  for (const pid of stopped) if (release(String(pid))) sendSignal(pid, 'SIGCONT');
}

async function freezeGroup(folder: string): Promise<(() => void) | undefined> {
  const file = join(folder, 'cgroup.freeze');
  try {
    writeFileSync(file, '1');
    acquire(file);
    const thaw = (): void => {
      if (release(file) && existsSync(file)) writeFileSync(file, '0');
    };
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (/^frozen 1$/m.test(readFileSync(join(folder, 'cgroup.events'), 'latin1'))) return thaw;
      await sleep(1);
    }
    thaw();
  } catch {
    // No freezer here.
  }
  return undefined;
}

/**
 * Stopped, waiting to be collected, or gone: it does nothing. Nor does one that waits in the kernel for long, such as
 * for a child that is stopped between vfork and exec: with a signal to stop it returns to no code of its own.
 *
 * @param waits Looks in a row that found a process waiting.
 */
function isStopped(pid: number, waits: Map<number, number>): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const state = text.charAt(text.lastIndexOf(')') + 2);
    waits.set(pid, state === 'D' ? (waits.get(pid) ?? 0) + 1 : 0);
    return 'TtZX'.includes(state) || waits.get(pid)! > MOST_WAITS;
  } catch {
    return true;
  }
}
