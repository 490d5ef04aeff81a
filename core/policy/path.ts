/** True when `path` is `root` or lies below it. Both absolute and normalised; `/work-evil` is not below `/work`. */
export function isBelow(path: string, root: string): boolean {
  if (path === root || root === '/') return true;
  return path.startsWith(`${root}/`);
}
