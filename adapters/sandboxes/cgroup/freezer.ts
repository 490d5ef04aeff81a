import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../process/process-table.ts';

const TRIES = 200;
/** Checks, one millisecond apart, after which a waiting process counts as stopped. Kernel locks are released earlier. */
const MOST_WAITS = 20;

export interface FreezeOptions {
  /** Folder of a version 2 control group that holds all members. */
  folder?: string;
  members: () => readonly number[];
}

/**
 * Stops every process of a command, including children that it is forking. Freezes the control group if possible.
 * Otherwise it sends SIGSTOP until two consecutive checks find all processes stopped.
 *
 * @returns A function that resumes the processes; undefined when they cannot be stopped.
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
    quiet = running.length === 0 ? quiet + 1 : 0;
    if (quiet === 2) return () => resumeAll(stopped);
    for (const pid of running) sendSignal(pid, 'SIGSTOP');
    await sleep(1);
  }
  resumeAll(stopped);
  return undefined;
}

/** Number of callers that need each process or group to be stopped. */
const holders = new Map<string, number>();

function acquire(name: string): void {
  holders.set(name, (holders.get(name) ?? 0) + 1);
}

/** True when no other caller needs it. */
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
    // The group cannot be frozen.
  }
  return undefined;
}

/**
 * True for a process that is stopped, a zombie, or has ended. Also true for a process that waits in the kernel for long,
 * for example for a stopped child between vfork and exec: after SIGSTOP it does not return to user code.
 *
 * @param waits Number of consecutive checks that found a process waiting.
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
