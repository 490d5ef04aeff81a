import type { Slice } from './slice.ts';
import type { Suite } from './suites.ts';

/** Why a suite runs, in the order in which the reasons are tried. */
export type Reason = 'unit' | 'scripts' | 'security' | 'changed' | 'slice';

export interface Choice {
  /** The reason for each suite that runs. */
  chosen: ReadonlyMap<Suite, Reason>;
  left: readonly Suite[];
}

export interface Selection {
  /** Paths that changed, relative to the root. */
  changed: readonly string[];
  /** Whether a test file imports changed code for tests. */
  usesChanged: (file: string) => boolean;
  /** Runs the suites of the security of the kernel, regardless of what changed. */
  security: boolean;
  /** The part of the other suites that runs: `index` of `count`. None if undefined. */
  slice?: Slice | undefined;
}

/**
 * Chooses the suites that run. The slices do not depend on what changed, and neighbours in the list are in different ones, so
 * each slice has a part of every folder.
 */
export function chooseSuites(suites: readonly Suite[], selection: Selection): Choice {
  const chosen = new Map<Suite, Reason>();
  let turn = 0;
  for (const suite of suites) {
    const { slice } = selection;
    const takesTurns = !suite.isUnit && !suite.isSecurity && !isOfScripts(suite);
    const isTurn = takesTurns && slice !== undefined && turn++ % slice.count === slice.index;
    const reason = findReason(suite, selection) ?? (isTurn ? 'slice' : undefined);
    if (reason) chosen.set(suite, reason);
  }
  return { chosen, left: suites.filter((suite) => !chosen.has(suite)) };
}

function findReason(suite: Suite, { changed, usesChanged, security }: Selection): Reason | undefined {
  if (suite.isUnit) return 'unit';
  // What is built and published depends on files of all folders.
  if (isOfScripts(suite)) return 'scripts';
  if (security && suite.isSecurity) return 'security';
  const isCovered = (path: string): boolean =>
    path === suite.file || suite.covers.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return changed.some(isCovered) || usesChanged(suite.file) ? 'changed' : undefined;
}

function isOfScripts({ file }: Suite): boolean {
  return file.startsWith('scripts/');
}
