import { statSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';
import { contains } from '../paths.ts';
import type { ProjectHome } from '../project-home.ts';
import { findBoundGit } from '../protection/bind-masks.ts';
import type { Mask } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import { toBesideView, type WorkspaceView } from '../view.ts';

/** A mount; without a source an empty folder in memory. */
export interface Mount {
  source?: string;
  target: string;
  writable: boolean;
}

/** The source of a mount that hides a file. */
export const NOTHING = '/dev/null';

export interface MountedWorkspace {
  view: WorkspaceView;
  /** Klaus's own state. */
  home: string;
  /** See `SandboxOptions`. */
  objects?: readonly string[];
  project: Pick<ProjectHome, 'home' | 'mounts'>;
  masks: readonly Mask[];
  protection: Pick<Protection, 'external' | 'pinned' | 'readOnly'>;
}

/** The mounts of a container. A path has one mount only; the order does not matter, because parents come first. */
export function listMounts(run: MountedWorkspace, request: ExecRequest): Mount[] {
  const { view, home, protection } = run;
  const { binds = [], readable = [], writable = [] } = request;
  const workspace = view.target;
  const same = (path: string, isWritable: boolean): Mount => ({ source: path, target: path, writable: isWritable });
  const mounts: Mount[] = [];
  for (const path of readable) {
    const isWritable = writable.includes(path);
    const source = isWritable ? toBesideView(request, path).source : path;
    mounts.push({ source, target: path, writable: isWritable });
  }
  mounts.push({ ...view, writable: true });
  for (const path of run.objects ?? []) mounts.push(same(path, false));
  for (const external of protection.external) mounts.push({ ...external, writable: true });
  for (const bind of binds) mounts.push(same(bind.path, bind.writable));
  for (const path of findBoundGit(binds)) mounts.push(same(path, false));
  const shown = [workspace, ...readable, ...binds.map((bind) => bind.path)];
  if (shown.some((path) => contains(path, home))) mounts.push({ target: home, writable: true });
  mounts.push(...run.project.mounts);
  // The engine mounts parents before children, regardless of the order here. A path can have one mount only.
  const masked = new Set(run.masks.map((mask) => mask.target));
  const readOnly = protection.readOnly.filter(({ target }) => !masked.has(target));
  const mounted = new Set([
    ...masked,
    ...readOnly.map(({ target }) => target),
    ...protection.external.map((each) => each.target),
  ]);
  for (const pinned of protection.pinned) if (!mounted.has(pinned.target)) mounts.push({ ...pinned, writable: true });
  for (const each of readOnly) mounts.push({ ...each, writable: false });
  for (const { target, isFolder } of run.masks)
    mounts.push({ ...(isFolder ? {} : { source: NOTHING }), target, writable: false });
  return mounts;
}

/** Distinguishes the mounted files and folders from others that have replaced them. */
export function toIdentities(mounts: readonly Mount[]): string[] {
  return mounts.flatMap(({ source }) => (source === undefined || source === NOTHING ? [] : [identify(source)]));
}

function identify(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}-${found.ino}-${found.birthtimeNs}` : '';
}
