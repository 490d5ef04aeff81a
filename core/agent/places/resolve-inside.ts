/** A path from a folder of the workspace, or of one beside it, which are absolute; undefined when it leads out. */
export function resolveInside(folder: string, path: string): string | undefined {
  const isBeside = folder.startsWith('/');
  const parts = folder.split('/').filter((part) => part !== '');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return `${isBeside ? '/' : ''}${parts.join('/')}`;
}
