import { isAbsolute, join, relative } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { contains } from './paths.ts';

/** The folder that commands see at the path of the workspace: the workspace itself, or a replacement such as a layer. */
export interface WorkspaceView {
  /** Path in the sandbox. */
  target: string;
  /** Path on this machine. */
  source: string;
}

/** @throws KlausError `usage` when `workspaceAt` is not an absolute path of a folder. */
export function toView(request: Pick<ExecRequest, 'workspaceAt'>, workspace: string): WorkspaceView {
  const at = request.workspaceAt;
  if (at === undefined) return { target: workspace, source: workspace };
  if (!isAbsolute(at) || !existsSync(at) || !statSync(at).isDirectory())
    throw new KlausError('usage', `${at} cannot replace the workspace: it is not an absolute path of a folder.`);
  return { target: workspace, source: realpathSync.native(at) };
}

/** The error of a driver that does not support `files` of a request. */
export function cannotHideParts(driver: string): KlausError {
  const hint = 'Use bubblewrap, or grant read and write access to the complete workspace.';
  const message = `The ${driver} driver cannot hide parts of the workspace from a command.`;
  return new KlausError('sandbox.unavailable', message, { hint });
}

/** The view of a folder outside the workspace: the folder itself or its replacement. */
export function toBesideView({ besideAt = [] }: Pick<ExecRequest, 'besideAt'>, folder: string): WorkspaceView {
  const at = besideAt.find(({ path }) => path === folder)?.folder;
  return { target: folder, source: at === undefined ? folder : realpathSync.native(at) };
}

/** Converts a path in the sandbox to a path on this machine. */
export function toSource(view: WorkspaceView, target: string): string {
  return contains(view.target, target) ? join(view.source, relative(view.target, target)) : target;
}

/** Converts a path on this machine to a path in the sandbox. */
export function toTarget(view: WorkspaceView, source: string): string {
  return contains(view.source, source) ? join(view.target, relative(view.source, source)) : source;
}
