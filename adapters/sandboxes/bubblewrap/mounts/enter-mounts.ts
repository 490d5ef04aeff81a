import { callSystem, type CallFailure } from '../../process/system-calls.ts';
import type { Mask } from '../../protection/masks.ts';

/** A mount that is added to an existing sandbox. Paths are those in the sandbox. */
export type InsideMount =
  /** Shows a path at another path too, with the same rights. */
  { kind: 'bind'; source: string; target: string } | ({ kind: 'mask' } & Mask);

/**
 * Adds mounts to the mount namespace of a process.
 *
 * @param pid A process in the sandbox.
 * @returns Undefined on success.
 */
export function enterMounts(pid: number, mounts: readonly InsideMount[]): Promise<CallFailure | undefined> {
  return callSystem(['mount', String(pid), ...mounts.flatMap(toWords)]);
}

function toWords(mount: InsideMount): string[] {
  if (mount.kind === 'bind') return ['bind', mount.source, mount.target];
  return [mount.isFolder ? 'folder' : 'file', '/dev/null', mount.target];
}
