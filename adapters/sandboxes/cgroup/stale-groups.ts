import { readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isGone } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';
import { listNames } from '../list-folder.ts';

/** The name of the process that created the group, and a number. */
const NAME = /^klaus-(.+)-\d+$/;

/**
 * Removes groups of Klaus processes that have ended, and kills their members. A group that still has members is left for
 * the next call.
 */
export function sweepGroups(parents: readonly string[]): void {
  for (const parent of new Set(parents)) {
    for (const name of listNames(parent)) {
      const owner = NAME.exec(name)?.[1];
      if (owner === undefined || !isGone(owner)) continue;
      const folder = join(parent, name);
      try {
        for (const member of readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean)) {
          sendSignal(Number(member), 'SIGKILL');
        }
        rmdirSync(folder);
      } catch {
        // It is busy until its members are reaped, or another Klaus process has removed it.
      }
    }
  }
}
