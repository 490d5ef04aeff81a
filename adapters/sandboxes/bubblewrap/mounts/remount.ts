import type { Mask } from '../../protection/masks.ts';
import { readMounts } from './check-mounts.ts';
import { enterMounts } from './enter-mounts.ts';

/** Hides paths in a running sandbox. @returns The reason of a failure. */
export async function addMasks(pid: number, masks: readonly Mask[]): Promise<string | undefined> {
  const mounts = masks.map((mask) => ({ kind: 'mask' as const, ...mask }));
  return (await enterMounts(pid, mounts))?.reason;
}

/** Mount points of a process; empty when it has ended. */
export function readMountPoints(pid: number): Set<string> {
  try {
    return new Set(readMounts(pid).map(({ point }) => point));
  } catch {
    return new Set();
  }
}
