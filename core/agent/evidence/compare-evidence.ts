import {
  findEnvironmentChanges,
  findWeakenings,
  isCheckFile,
  isEnvironmentFile,
  judgeClaims,
  type ChangedFile,
} from '../../policy/index.ts';
import {
  optional,
  isKlausError,
  type Evidence,
  type TreeChange,
  type TreeEntry,
  type TreeId,
} from '../../protocol/index.ts';
import { findOtherEnvironment } from './check-environment.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf, runOf } from '../state/state.ts';
import { trySnapshot } from './check-receipt.ts';
import { toClosedEvidence, type ClosedEvidence, type OpenEvidence } from './closed-evidence.ts';
import type { Work } from '../loop/work.ts';

/** Paths that `changed` names. */
const MAX_CHANGED = 10;
/** Bytes of a file that is looked at for a weakened check, and how many files are. */
const MAX_TEXT = 512 * 1_024;
const MAX_FILES = 300;

/** What checks themselves leave behind: no other check looks at it. */
const DERIVED =
  /(?:^|\/)(?:node_modules(?:\/\.[^/]+)?|dist|build|out|coverage|htmlcov|target|test-results|playwright-report|__pycache__|bin|obj|\.(?:nyc_output|pytest_cache|mypy_cache|ruff_cache|tox|next|turbo|vite|vitest|cache|gradle))(?:\/|$)|\.(?:pyc|tsbuildinfo|lcov)$|(?:^|\/)(?:\.coverage|\.eslintcache|\.stylelintcache|(?:junit|test-results?)[^/]*\.(?:xml|json))$/;

/** True for a path that tools write by the way, such as a cache or what was built. */
export function isDerived(path: string): boolean {
  return DERIVED.test(path);
}

/** Compares the checks of a run with the present workspace, and its claims with the checks. */
export async function compareEvidence(work: Work, { own, earlier, claims }: OpenEvidence): Promise<ClosedEvidence> {
  await recordSuspects(work);
  if (own.length + earlier.length === 0) return toClosedEvidence([], judgeClaims(claims, []));
  const tree = openedOf(work.state).snapshots === false ? undefined : await trySnapshot(work);
  const rows = await compare(work, { own, earlier, tree });
  return toClosedEvidence(rows.slice(earlier.length), judgeClaims(claims, rows), tree);
}

async function compare(
  work: Work,
  { own, earlier, tree }: Omit<OpenEvidence, 'claims'> & { tree: TreeId | undefined },
): Promise<Evidence[]> {
  const all = [...earlier, ...own];
  if (tree === undefined) return all.map((row) => ({ ...row, freshness: 'unknown' }));
  const snapshots = await work.snapshots();
  const { base } = runOf(work.state);
  const weakenings =
    base === undefined || own.length === 0
      ? []
      : findWeakenings(await readChanged(snapshots, { from: base, to: tree, isLooked: isCheckFile }));
  const otherwise = await findOtherwise(work, own, tree);
  // What a check and those behind it wrote by the way, from the last to the first.
  const derived = new Set<string>();
  const rows: Evidence[] = [];
  for (const [at, row] of [...all.entries()].toReversed()) {
    for (const { path } of await changes(snapshots, row.tree, row.left)) if (isDerived(path)) derived.add(path);
    const stood = await freshnessOf(snapshots, row, { tree, derived });
    const weakened =
      at < earlier.length
        ? row.weakened
        : (weakenings.find((found) => found.weakens(row))?.reason ?? otherwise.get(own[at - earlier.length]!));
    const { freshness: _, changed: _was, weakened: _weak, ...rest } = row;
    rows.unshift({ ...rest, ...stood, ...optional({ weakened }) });
  }
  return rows;
}

async function freshnessOf(
  snapshots: Snapshots,
  row: Evidence,
  { tree, derived }: { tree: TreeId; derived: ReadonlySet<string> },
): Promise<Pick<Evidence, 'freshness' | 'changed'>> {
  const seen = row.left ?? row.tree;
  if (seen === undefined || !snapshots.has(seen)) return { freshness: 'unknown' };
  const differing = (await changes(snapshots, seen, tree)).map(({ path }) => path).filter((path) => !derived.has(path));
  if (differing.length === 0) return { freshness: 'fresh' };
  return { freshness: 'stale', changed: differing.slice(0, MAX_CHANGED) };
}

async function changes(snapshots: Snapshots, from: TreeId | undefined, to: TreeId | undefined): Promise<TreeChange[]> {
  if (from === undefined || to === undefined || from === to) return [];
  try {
    return await snapshots.changes(from, to);
  } catch (error) {
    if (isKlausError(error)) return [];
    throw error;
  }
}

/** Remembers what this run put where checks load it: it outlives the session, and a person hardly sees it. */
async function recordSuspects(work: Work): Promise<void> {
  const { base, changedFiles } = runOf(work.state);
  const to = work.state.left?.tree;
  if (base === undefined || to === undefined || !changedFiles) return;
  const files = await readChanged(await work.snapshots(), { from: base, to, isLooked: isEnvironmentFile });
  const paths = findEnvironmentChanges(files).flatMap(({ suspect }) => suspect ?? []);
  if (paths.length === 0) return;
  const sandbox = await work.sandbox();
  await sandbox.suspect?.([...new Set(paths)]);
}

/** Why checks ran otherwise than they would have when the session began, by the check. */
async function findOtherwise(work: Work, own: readonly Evidence[], tree: TreeId): Promise<Map<Evidence, string>> {
  const { origin, environment } = work.state;
  const snapshots = await work.snapshots();
  const isLooked = (path: string): boolean => isEnvironmentFile(path) || isCheckFile(path);
  const found = new Map<TreeId, ReturnType<typeof findEnvironmentChanges>>();
  const look = async (to: TreeId | undefined): Promise<ReturnType<typeof findEnvironmentChanges>> => {
    if (origin === undefined || to === undefined || !snapshots.has(origin)) return [];
    const known = found.get(to) ?? findEnvironmentChanges(await readChanged(snapshots, { from: origin, to, isLooked }));
    found.set(to, known);
    return known;
  };
  const reasons = new Map<Evidence, string>();
  for (const row of own) {
    // What was there when it ran may be gone by now.
    const all = [...(await look(row.tree)), ...(await look(row.left)), ...(await look(tree))];
    const reason = all.find((found) => found.weakens(row))?.reason ?? findOtherEnvironment(row, environment);
    if (reason !== undefined) reasons.set(row, reason);
  }
  return reasons;
}

interface Looking {
  from: TreeId;
  to: TreeId;
  /** True for a path that is looked at. */
  isLooked: (path: string) => boolean;
}

/** Files that may say what is checked, as they were and as they are. */
async function readChanged(snapshots: Snapshots, { from, to, isLooked }: Looking): Promise<ChangedFile[]> {
  const rows = (await changes(snapshots, from, to)).filter(
    ({ path, before, after }) => isLooked(path) && before?.type !== 'directory' && after?.type !== 'directory',
  );
  return Promise.all(
    [
      ...rows.filter(({ path }) => !isInstalled(path)).slice(0, MAX_FILES),
      ...rows.filter(({ path }) => isInstalled(path)),
    ].map(async ({ path, before, after }) => ({
      path,
      before: isInstalled(path) ? null : await readText(snapshots, before),
      after: isInstalled(path) ? null : await readText(snapshots, after),
      isCreated: before === null,
      isDeleted: after === null,
    })),
  );
}

/** Of what is installed only counts that it changed. */
function isInstalled(path: string): boolean {
  return /(?:^|\/)node_modules\//.test(path);
}

async function readText(snapshots: Snapshots, entry: TreeEntry | null): Promise<string | null> {
  if (entry === null || entry.type !== 'file' || entry.size > MAX_TEXT) return null;
  try {
    return new TextDecoder().decode(await snapshots.content(entry));
  } catch (error) {
    if (isKlausError(error)) return null;
    throw error;
  }
}
