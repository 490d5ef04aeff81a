import { isAbsolute, join, relative } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { contains } from './paths.ts';

/** What stands at the workspace's path inside: the workspace, or another folder in its place. */
export interface WorkspaceView {
  /** Where commands see it. */
  target: string;
  /** Where it is on this machine. */
  source: string;
}

/** @throws KlausError `usage` when `workspaceAt` is not an absolute path of a folder. */
export function toView(request: Pick<ExecRequest, 'workspaceAt'>, workspace: string): WorkspaceView {
  const at = request.workspaceAt;
  if (at === undefined) return { target: workspace, source: workspace };
  if (!isAbsolute(at) || !existsSync(at) || !statSync(at).isDirectory())
    throw new KlausError('usage', `${at} cannot stand in for the workspace: it is no folder with an absolute path`);
  return { target: workspace, source: realpathSync.native(at) };
}

/** A folder beside the workspace as a view: itself, or what stands in for it. */
export function toBesideView({ besideAt = [] }: Pick<ExecRequest, 'besideAt'>, folder: string): WorkspaceView {
  const at = besideAt.find(({ path }) => path === folder)?.folder;
  return { target: folder, source: at === undefined ? folder : realpathSync.native(at) };
}

/** Where a path of the sandbox is on this machine. */
export function toSource(view: WorkspaceView, target: string): string {
  return contains(view.target, target) ? join(view.source, relative(view.target, target)) : target;
}

/** Where a path of this machine is in the sandbox. */
export function toTarget(view: WorkspaceView, source: string): string {
  return contains(view.source, source) ? join(view.target, relative(view.source, source)) : source;
}
