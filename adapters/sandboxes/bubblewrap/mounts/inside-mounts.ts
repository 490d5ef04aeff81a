import { KlausError } from '@klaus/core/protocol';
import type { ProjectHome } from '../../project-home.ts';
import type { Mask } from '../../protection/masks.ts';
import { canCallSystem } from '../../process/system-calls.ts';
import { enterMounts, type InsideMount } from './enter-mounts.ts';
import { readMountPoints } from './remount.ts';

/** Why it does not work for this process. */
let failure: string | undefined;

/**
 * True where a part of the mounts can be made when the others are there. bubblewrap reads the whole table of mounts
 * anew for each mount that it makes, so that half of them cost a quarter of the time.
 */
export function canMountInside(): boolean {
  return failure === undefined && canCallSystem();
}

/** What need not be there before the rest: sources that commands see anyway, and masks. */
export function toInsideMounts({ mounts }: Pick<ProjectHome, 'mounts'>, masks: readonly Mask[]): InsideMount[] {
  const binds = mounts.flatMap(({ shown, target }): InsideMount[] =>
    shown === undefined ? [] : [{ kind: 'bind', source: shown, target }],
  );
  return [...binds, ...masks.map((mask): InsideMount => ({ kind: 'mask', ...mask }))];
}

/**
 * Makes mounts in a sandbox whose command has not begun.
 *
 * @param pid The first process inside.
 * @throws KlausError `sandbox.failed`. Where it can never work, the next sandbox is made without it.
 */
export async function mountInside(pid: number, mounts: readonly InsideMount[]): Promise<void> {
  const failed = await enterMounts(pid, mounts);
  const points = readMountPoints(pid);
  const missing = mounts.find(({ target }) => !points.has(target));
  if (!failed && !missing) return;
  // In one that is gone nothing can be mounted.
  if (failed?.kind === 'unusable' && points.size > 0) failure = failed.reason;
  const reason = failed?.reason ?? `${missing?.target} is another place`;
  throw new KlausError('sandbox.failed', `Something could not be mounted inside the sandbox: ${reason}`);
}

/** The same mounts as bubblewrap would take them, by their places on this machine. */
export function toInsideWords({ mounts }: Pick<ProjectHome, 'mounts'>, inside: readonly InsideMount[]): string[] {
  return inside.flatMap((mount) => {
    if (mount.kind === 'mask') return ['--ro-bind', '/dev/null', mount.target];
    return ['--ro-bind', mounts.find(({ target }) => target === mount.target)!.source, mount.target];
  });
}
