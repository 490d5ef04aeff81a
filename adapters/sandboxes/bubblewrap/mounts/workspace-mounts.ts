import { existsSync, realpathSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';
import { contains } from '../../paths.ts';
import { toSource, type WorkspaceView } from '../../view.ts';

type Files = NonNullable<ExecRequest['files']>;

/** The mounts that show the workspace: the whole of it, or only what the command may read and write. */
export function toWorkspaceMounts(view: WorkspaceView, files: Files | undefined): string[] {
  if (!files || canWrite(files, view.target)) return ['--bind', view.source, view.target];
  const isWhole = canRead(files, view.target);
  const args = isWhole ? ['--ro-bind', view.source, view.target] : ['--tmpfs', view.target];
  const parts = [
    ...(isWhole ? [] : files.read.map((path) => ({ path, flag: '--ro-bind' }))),
    ...files.write.map((path) => ({ path, flag: '--bind' })),
  ];
  // A writable part within a readable one comes after it.
  parts.sort((a, b) => a.path.length - b.path.length);
  for (const { path, flag } of parts) {
    const source = toSource(view, path);
    if (contains(view.target, path) && isPlain(source)) args.push(flag, source, path);
  }
  return isWhole ? args : [...args, '--remount-ro', view.target];
}

/** A link on the way would show another place than the one that was granted. */
function isPlain(source: string): boolean {
  return existsSync(source) && realpathSync.native(source) === source;
}

/** True when a command may read this path, by what it was given. */
export function canRead(files: Files | undefined, path: string): boolean {
  return !files || [...files.read, ...files.write].some((folder) => contains(folder, path));
}

export function canWrite(files: Files | undefined, path: string): boolean {
  return !files || files.write.some((folder) => contains(folder, path));
}
