import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGone, ownName } from '../process/owner.ts';
import { listPids, readProcess, sendSignal } from '../process/process-table.ts';

/** In the environment of every command on the host: the Klaus that started it, a number, and a stop so that no mark begins another. */
export const MARK = 'KLAUS_EXEC';

let counter = 0;

/** A mark for one command of this process. */
export function toMark(): string {
  return `${ownName()}-${counter++}.`;
}

const TRIES = 50;

/** Ids of live processes whose environment holds the mark with a value that `matches`. */
function listMarked(matches: (value: string) => boolean): number[] {
  return listPids().filter((pid) => {
    if (pid === process.pid) return false;
    const value = readMark(pid);
    return value !== undefined && matches(value) && readProcess(pid)?.ended === false;
  });
}

/** Ends every process that carries the mark, again and again until none does: one may fork while it is looked for. */
export async function endMarked(matches: (value: string) => boolean): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = listMarked(matches);
    if (found.length === 0) return;
    for (const pid of found) sendSignal(pid, 'SIGKILL');
    await sleep(Math.min(2 ** attempt, 50));
  }
}

/** True for the mark of a Klaus that is gone. */
export function isOrphanMark(value: string): boolean {
  const owner = /^(.+)-\d+\.$/.exec(value)?.[1];
  return owner !== undefined && isGone(owner);
}

function readMark(pid: number): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return entries.find((entry) => entry.startsWith(`${MARK}=`))?.slice(MARK.length + 1);
  } catch {
    return undefined;
  }
}
