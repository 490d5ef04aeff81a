import { foldPath } from './fold-path.ts';

/** True for a file whose scripts package managers run. Compared folded, as the names of protected places are. */
export function isPackageFile(path: string): boolean {
  return /(?:^|\/)package\.json$/.test(foldPath(path));
}
