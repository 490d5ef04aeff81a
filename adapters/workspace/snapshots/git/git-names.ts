/** Folders of a git folder that states do not contain: they are large, and commands cannot damage them. */
export const LARGE: ReadonlySet<string> = new Set(['objects', 'lfs', 'annex']);

/**
 * Removes the names of a git folder that states do not contain: objects, and locks, which belong to running git
 * commands.
 *
 * @param relative Path of the folder that holds the names.
 * @param isLink True for a name that is a symlink, which is no large folder.
 */
export function toGitNames(relative: string, names: readonly string[], isLink: (name: string) => boolean): string[] {
  const isTop = relative === '.git' || relative.endsWith('/.git');
  // A submodule whose HEAD or refs were deleted still has its objects.
  const isModule = relative.includes('.git/modules/') && names.includes('config');
  const isGitFolder = isTop || isModule || (names.includes('HEAD') && names.includes('refs'));
  return names.filter((name) => !name.endsWith('.lock') && !(isGitFolder && LARGE.has(name) && !isLink(name)));
}
