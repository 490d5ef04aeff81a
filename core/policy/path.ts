/** True when `path` is `root` or lies below it. Both absolute and normalised; `/project-evil` is not below `/project`. */
export function isBelow(path: string, root: string): boolean {
  if (path === root || root === '/') return true;
  return path.startsWith(`${root}/`);
}
