import { readFileSync } from 'node:fs';

/**
 * MiB that the processes hold, each page divided by the number of processes that share it (proportional set size):
 * what would be free if all of them ended.
 *
 * @source man 5 proc_pid_smaps: smaps_rollup
 */
export function readMemory(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readPss(pid), 0) / 1_024;
}

/** KiB; 0 for a process that is gone. */
function readPss(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
