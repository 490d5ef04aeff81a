import { homedir } from 'node:os';

/** An absolute path with `~` for the home folder. */
export function toShortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
