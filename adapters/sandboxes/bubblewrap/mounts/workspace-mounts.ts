import { existsSync, realpathSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';
import { contains } from '../../paths.ts';
import { toSource, type WorkspaceView } from '../../view.ts';

type Files = NonNullable<ExecRequest['files']>;

/** The mounts of the workspace: all of it, or only the parts that the command may read or write. */
export function toWorkspaceMounts(view: WorkspaceView, files: Files | undefined): string[] {
  if (!files || canWrite(files, view.target)) return ['--bind', view.source, view.target];
  const isWhole = canRead(files, view.target);
  const args = isWhole ? ['--ro-bind', view.source, view.target] : ['--tmpfs', view.target];
  const parts = [
    ...(isWhole ? [] : files.read.map((path) => ({ path, flag: '--ro-bind' }))),
    ...files.write.map((path) => ({ path, flag: '--bind' })),
  ];
  // A writable part in a readable one has to follow it.
  parts.sort((a, b) => a.path.length - b.path.length);
  for (const { path, flag } of parts) {
    const source = toSource(view, path);
    if (contains(view.target, path) && isPlain(source)) args.push(flag, source, path);
  }
  return isWhole ? args : [...args, '--remount-ro', view.target];
}

/** False for a path with symlinks, which could show another folder than the granted one. */
function isPlain(source: string): boolean {
  return existsSync(source) && realpathSync.native(source) === source;
}

/** True when the grant of a command includes reading this path. */
export function canRead(files: Files | undefined, path: string): boolean {
  return !files || [...files.read, ...files.write].some((folder) => contains(folder, path));
}

export function canWrite(files: Files | undefined, path: string): boolean {
  return !files || files.write.some((folder) => contains(folder, path));
}
