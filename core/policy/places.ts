import { matchesGlob } from './glob.ts';
import { foldPath } from './names/fold-path.ts';
import { isBelow } from './path.ts';
import { PROTECTED_PLACES, type ProtectedPlace } from './protected-places.ts';

/** The kind of a protected path; see {@link ProtectedPlace}. `secret`: a file that holds credentials. */
export type ProtectedPathKind = ProtectedPlace | 'secret';

const WORDS: Record<ProtectedPathKind, string> = {
  git: "git's own data",
  klaus: "Klaus's own configuration",
  agent: 'the configuration of an agent or editor',
  startup: 'loaded by a shell, an interpreter or a build tool when it starts',
  hook: 'run by git hooks',
  ci: 'run by the build server',
  secret: 'a secret file',
};

/** The kind in words, for use after "is". */
export function describePlace(place: ProtectedPathKind): string {
  return WORDS[place];
}

/** Configuration that makes an agent or editor run programs, in the workspace's own folder: no command can change it. */
export const AGENT_CONFIGURATION: readonly string[] = PROTECTED_PLACES.filter(({ isHeld }) => isHeld).map(
  ({ pattern }) => pattern,
);

/** Hidden first parts of protected paths, to test shell patterns with. */
export const PROTECTED_NAMES: readonly string[] = [
  ...new Set(PROTECTED_PLACES.map(({ pattern }) => pattern.split('/')[0]!)),
].filter((name) => name.startsWith('.') && !name.includes('*'));

/** From the strongest to the weakest: a path can have several kinds. */
const RANKS: readonly ProtectedPlace[] = ['git', 'klaus', 'agent', 'startup', 'hook', 'ci'];

interface Pattern {
  place: ProtectedPlace;
  parts: readonly string[];
  /** Only the path itself is protected, not the paths below it. */
  isExact: boolean;
  isNewOnly: boolean;
}

const PATTERNS: readonly Pattern[] = PROTECTED_PLACES.map(({ pattern, place, isNewOnly }) => {
  const isExact = pattern.endsWith('/.');
  return { place, parts: (isExact ? pattern.slice(0, -2) : pattern).split('/'), isExact, isNewOnly };
});
/** By the first part of the pattern, which most parts of paths do not match. */
const BY_NAME = Map.groupBy(
  PATTERNS.filter(({ parts }) => !parts[0]!.includes('*')),
  ({ parts }) => parts[0]!,
);
const BY_GLOB = PATTERNS.filter(({ parts }) => parts[0]!.includes('*'));

/** The name that NTFS gives `.git`, which git itself refuses everywhere. */
const GIT_SHORT = /^git~\d+$/;

/** Folded on every file system: a repository is checked out on others too. */
function toParts(relative: string): string[] {
  return foldPath(relative)
    .split('/')
    .map((part) => (GIT_SHORT.test(part) ? '.git' : part))
    .filter((part) => part !== '' && part !== '.');
}

function fits(part: string | undefined, pattern: string): boolean {
  if (part === undefined) return false;
  return pattern.includes('*') ? matchesGlob(part, pattern) : part === pattern;
}

/**
 * The kind of a protected path, by its name alone; undefined for an ordinary file. Paths below a protected path are
 * protected too. `isSecretFile` finds secret files: a file can be both.
 *
 * @param relative Relative to the workspace, with forward slashes. Compared folded, as some file systems do.
 * @param options.isNew True for a file that did not exist. Default false.
 */
export function placeOf(relative: string, { isNew = false }: { isNew?: boolean } = {}): ProtectedPlace | undefined {
  const parts = toParts(relative);
  let best = RANKS.length;
  for (const [at, part] of parts.entries()) {
    for (const { place, parts: wanted, isExact, isNewOnly } of [...(BY_NAME.get(part) ?? []), ...BY_GLOB]) {
      if ((isExact && at + wanted.length !== parts.length) || (isNewOnly && !isNew)) continue;
      if (wanted.every((pattern, i) => fits(parts[at + i], pattern))) best = Math.min(best, RANKS.indexOf(place));
    }
  }
  return RANKS[best];
}

/**
 * The protected places below a path by its name, relative to it: `workflows` for `.github`. A symlink at such a path
 * makes the same paths below its target protected places. `*` matches any part of a name.
 */
export function placesBelow(relative: string): string[] {
  const parts = toParts(relative);
  return PATTERNS.flatMap(({ parts: wanted }) =>
    wanted.slice(1).flatMap((_, i) => {
      const head = wanted.slice(0, i + 1);
      const tail = parts.slice(-head.length);
      return head.every((pattern, at) => fits(tail[at], pattern)) ? [wanted.slice(i + 1).join('/')] : [];
    }),
  );
}

/** The part of an absolute path below the workspace; undefined if it is not below. */
export function toRelative(path: string, workspace: string): string | undefined {
  if (!isBelow(path, workspace)) return undefined;
  return path.slice(workspace === '/' ? 1 : workspace.length + 1);
}
