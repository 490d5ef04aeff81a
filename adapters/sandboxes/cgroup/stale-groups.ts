import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isGone } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';

/** The process that made it, and a number. */
const NAME = /^klaus-(.+)-\d+$/;

/**
 * Ends and removes what a Klaus that was killed left behind: groups whose maker is gone. One that still has
 * members after they were ended is left for the next sweep.
 */
export function sweepGroups(parents: readonly string[]): void {
  for (const parent of new Set(parents)) {
    for (const name of list(parent)) {
      const owner = NAME.exec(name)?.[1];
      if (owner === undefined || !isGone(owner)) continue;
      const folder = join(parent, name);
      try {
        for (const member of readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean)) {
          sendSignal(Number(member), 'SIGKILL');
        }
        rmdirSync(folder);
      } catch {
        // Busy until its members are collected, or another Klaus was faster.
      }
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
