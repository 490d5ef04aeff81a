/** Resolves a path from a folder, which is absolute outside the workspace; undefined if it leads out of the workspace. */
export function resolveInside(folder: string, path: string): string | undefined {
  const isOutside = folder.startsWith('/');
  const parts = folder.split('/').filter((part) => part !== '');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return `${isOutside ? '/' : ''}${parts.join('/')}`;
}

/** A path below a folder; '' is the root. */
export function joinPath(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}
