import { readFileSync } from 'node:fs';
import type { Mask } from '../../protection/masks.ts';
import { enterMounts } from './enter-mounts.ts';

/** Hides paths in a running sandbox. @returns The reason of a failure. */
export async function addMasks(pid: number, masks: readonly Mask[]): Promise<string | undefined> {
  const mounts = masks.map((mask) => ({ kind: 'mask' as const, ...mask }));
  return (await enterMounts(pid, mounts))?.reason;
}

/** Mount points of a process; empty when it has ended. @source man 5 proc_pid_mountinfo */
export function readMountPoints(pid: number): Set<string> {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    const points = lines.flatMap((line) => line.split(' ')[4] ?? []);
    return new Set(
      points.map((point) =>
        point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
      ),
    );
  } catch {
    return new Set();
  }
}
