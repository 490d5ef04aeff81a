/** Folders of a git folder that a state does not hold: they are large, and no command can damage them. */
export const LARGE: ReadonlySet<string> = new Set(['objects', 'lfs', 'annex']);

/**
 * Leaves out of a git folder what a state of its data does not hold: objects, and locks, which belong to a git
 * command at work.
 *
 * @param relative Path of the folder that holds the names.
 */
export function toGitNames(relative: string, names: readonly string[]): string[] {
  const isTop = relative === '.git' || relative.endsWith('/.git');
  const isGitFolder = isTop || (names.includes('HEAD') && names.includes('refs'));
  return names.filter((name) => !name.endsWith('.lock') && !(isGitFolder && LARGE.has(name)));
}
