/**
 * A path of a text relative to the workspace. Undefined if it is outside of the workspace.
 *
 * @param folder The folder of the file that the text is from. Paths with a slash at the start begin at the workspace.
 */
export function toRelativePath(path: string, folder = ''): string | undefined {
  const names: string[] = [];
  const start = path.startsWith('/') ? '' : folder;
  for (const name of `${start}/${path}`.split('/')) {
    if (name === '..' && names.length === 0) return undefined;
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.length === 0 ? undefined : names.join('/');
}
