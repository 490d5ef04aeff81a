import type { PolicySource, Verdict } from '../../protocol/index.ts';
import { matchesText } from '../glob.ts';
import { foldPath } from '../names/fold-path.ts';
import { readComparison, withComparison, type NameComparison } from '../names/name-comparison.ts';

export type PolicyKind = 'tool' | 'read' | 'write' | 'command';

/** One rule of a policy file. */
export interface PolicyEntry {
  verdict: Exclude<Verdict, 'allow'>;
  kind: PolicyKind;
  /** As written in the file. */
  pattern: string;
  /** For `read` and `write`: the same as globs relative to the workspace; none if it is elsewhere. */
  globs: readonly string[];
  reason?: string;
  /** `path:line`. */
  where: string;
}

/** The rules of the user's and the project's policy files. They only narrow, so their order does not matter. */
export interface Policy {
  entries: readonly PolicyEntry[];
  /** Globs of further secret files, relative to the workspace. */
  secrets: readonly string[];
  /** The files that exist. */
  sources: readonly PolicySource[];
}

/** The globs of what must not be read: commands find it empty. */
export function toHiddenGlobs({ entries }: Policy): string[] {
  return [
    ...new Set(entries.flatMap((entry) => (entry.kind === 'read' && entry.verdict === 'deny' ? entry.globs : []))),
  ];
}

/**
 * A glob relative to a folder, as globs relative to a folder below it; none if nothing there can match.
 *
 * @param names How the file system of these folders compares names.
 * @param below The way from the one folder to the other, such as `packages/api`; empty for the same folder.
 */
export function toGlobsBelow(glob: string, below: string, names: NameComparison = 'exact'): string[] {
  if (names === 'folded') {
    const { plain } = readComparison(glob);
    return toGlobsBelow(foldPath(plain), foldPath(below)).map((each) => withComparison(each, names));
  }
  // Without a slash it matches in every folder.
  if (!glob.includes('/') || below === '') return [glob];
  const found = new Set<string>();
  const descend = (pattern: readonly string[], way: readonly string[]): void => {
    const [first, ...rest] = pattern;
    // With a leading slash a single name does not match in every folder.
    if (way.length === 0) found.add(pattern.length === 1 && first !== '**' ? `/${first}` : pattern.join('/') || '**');
    // The pattern names a folder above: it matches everything in it.
    else if (first === undefined) found.add('**');
    else if (first === '**') {
      descend(rest, way);
      descend(pattern, way.slice(1));
    } else if (matchesText(way[0]!, first)) descend(rest, way.slice(1));
  };
  descend(glob.split('/'), below.split('/'));
  return [...found];
}
