import { foldPath, isShortName } from './fold-path.ts';

/**
 * How the file systems of a folder compare names. `exact`: each name is another file. `folded`: some names are the same
 * file, such as `A` and `a`; it is not known which, so all that any file system takes for the same are compared as one.
 */
export type NameComparison = 'exact' | 'folded';

/** At the start of a glob that is compared folded. No policy can contain it. */
const MARK = '(?i)';

/** The glob with the comparison of the folder that its paths are in. */
export function withComparison(glob: string, names: NameComparison): string {
  return names === 'exact' || glob.startsWith(MARK) ? glob : `${MARK}${glob}`;
}

/** @returns The glob without the comparison, and the comparison. */
export function readComparison(glob: string): { plain: string; names: NameComparison } {
  return glob.startsWith(MARK) ? { plain: glob.slice(MARK.length), names: 'folded' } : { plain: glob, names: 'exact' };
}

export function isFolded(glob: string): boolean {
  return glob.startsWith(MARK);
}

export function withoutComparison(glob: string): string {
  return readComparison(glob).plain;
}

/** The path as it is compared: `a.txt` for `A.TXT` and folded names. */
export function toCompared(path: string, names: NameComparison): string {
  return names === 'exact' ? path : foldPath(path);
}

/** True for a path with a part that can be the short name of another file. */
export function hasShortName(path: string, names: NameComparison): boolean {
  return names === 'folded' && path.includes('~') && path.split('/').some(isShortName);
}
