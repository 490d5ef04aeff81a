import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../process/process-table.ts';

const TRIES = 200;

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
  let quiet = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const running = members().filter((pid) => !isStopped(pid));
    if (running.length === 0) quiet++;
    else quiet = 0;
    if (quiet === 2) return () => stopped.forEach((pid) => sendSignal(pid, 'SIGCONT'));
    for (const pid of running) {
      stopped.add(pid);
      sendSignal(pid, 'SIGSTOP');
    }
    await sleep(1);
  }
  for (const pid of stopped) sendSignal(pid, 'SIGCONT');
  return undefined;
}

async function freezeGroup(folder: string): Promise<(() => void) | undefined> {
  const file = join(folder, 'cgroup.freeze');
  try {
    writeFileSync(file, '1');
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (/^frozen 1$/m.test(readFileSync(join(folder, 'cgroup.events'), 'latin1')))
        return () => writeFileSync(file, '0');
      await sleep(1);
    }
    writeFileSync(file, '0');
  } catch {
    // No freezer here.
  }
  return undefined;
}

/** Stopped, waiting to be collected, or gone: it does nothing. Every thread counts. */
function isStopped(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return 'TtZX'.includes(text.charAt(text.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
