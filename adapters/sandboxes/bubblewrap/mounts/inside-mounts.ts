import { KlausError } from '@klaus/core/protocol';
import type { ProjectHome } from '../../project-home.ts';
import type { Mask } from '../../protection/masks.ts';
import { callSystem, canCallSystem, type CallFailure } from '../../process/system-calls.ts';
import { readMountPoints } from './check-mounts.ts';

/** A mount that is added to an existing sandbox. Paths are those in the sandbox. */
export type InsideMount =
  /** Shows a path at another path too, with the same rights. */
  { kind: 'bind'; source: string; target: string } | ({ kind: 'mask' } & Mask);

/** The reason why mounting inside does not work for this process. */
let failure: string | undefined;

/**
 * True if a part of the mounts can be added after bubblewrap has made the others. bubblewrap reads the complete mount
 * table for each mount, so that half the mounts take a quarter of the time.
 */
export function canMountInside(): boolean {
  return failure === undefined && canCallSystem();
}

/** The mounts that can be added later: paths that are visible in the sandbox already, and masks. */
export function toInsideMounts({ mounts }: Pick<ProjectHome, 'mounts'>, masks: readonly Mask[]): InsideMount[] {
  const binds = mounts.flatMap(({ shown, target }): InsideMount[] =>
    shown === undefined ? [] : [{ kind: 'bind', source: shown, target }],
  );
  return [...binds, ...masks.map(toMaskMount)];
}

/**
 * Adds mounts to a sandbox whose command has not begun.
 *
 * @throws KlausError `sandbox.failed`. If it cannot work on this machine, later sandboxes do without it.
 */
export async function mountInside(pid: number, mounts: readonly InsideMount[]): Promise<void> {
  const failed = await enterMounts(pid, mounts);
  const points = readMountPoints(pid);
  const missing = mounts.find(({ target }) => !points.has(target));
  if (!failed && !missing) return;
  // A sandbox that has ended has no mounts; that is not a reason to disable this.
  if (failed?.kind === 'unusable' && points.size > 0) failure = failed.reason;
  const reason = failed?.reason ?? `${missing?.target} is not a mount point`;
  throw new KlausError('sandbox.failed', `Something could not be mounted inside the sandbox: ${reason}`);
}

/** Adds mounts to the mount namespace of a process in a sandbox. @returns Undefined on success. */
export function enterMounts(pid: number, mounts: readonly InsideMount[]): Promise<CallFailure | undefined> {
  return callSystem(['mount', String(pid), ...mounts.flatMap(toWords)]);
}

export function toMaskMount(mask: Mask): InsideMount {
  return { kind: 'mask', ...mask };
}

function toWords(mount: InsideMount): string[] {
  if (mount.kind === 'bind') return ['bind', mount.source, mount.target];
  return [mount.isFolder ? 'folder' : 'file', '/dev/null', mount.target];
}

/** The same mounts as arguments of bubblewrap, with paths on this machine. */
export function toInsideWords({ mounts }: Pick<ProjectHome, 'mounts'>, inside: readonly InsideMount[]): string[] {
  return inside.flatMap((mount) => {
    if (mount.kind === 'mask') return ['--ro-bind', '/dev/null', mount.target];
    return ['--ro-bind', mounts.find(({ target }) => target === mount.target)!.source, mount.target];
  });
}
