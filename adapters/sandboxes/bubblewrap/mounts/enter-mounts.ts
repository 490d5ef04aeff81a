import { callSystem, type CallFailure } from '../../process/system-calls.ts';
import type { Mask } from '../../protection/masks.ts';

/** What is mounted in a sandbox that is there already; paths are those that its commands see. */
export type InsideMount =
  /** What is at one place at another one too, with the rights that it has there. */
  { kind: 'bind'; source: string; target: string } | ({ kind: 'mask' } & Mask);

/**
 * Mounts in the mount namespace of a process.
 *
 * @param pid A process inside.
 * @returns Undefined when everything is mounted.
 */
export function enterMounts(pid: number, mounts: readonly InsideMount[]): Promise<CallFailure | undefined> {
  return callSystem(['mount', String(pid), ...mounts.flatMap(toWords)]);
}

function toWords(mount: InsideMount): string[] {
  if (mount.kind === 'bind') return ['bind', mount.source, mount.target];
  return [mount.isFolder ? 'folder' : 'file', '/dev/null', mount.target];
}
