import {
  findEnvironmentChanges,
  findFewerTests,
  findWeakenings,
  isCheckFile,
  isDerived,
  isEnvironmentFile,
  judgeClaims,
  type ChangedFile,
} from '../../policy/index.ts';
import { unlessFailed, type Evidence, type TreeChange, type TreeEntry, type TreeId } from '../../protocol/index.ts';
import { findOtherEnvironment } from './check-environment.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf, runOf } from '../state/state.ts';
import { trySnapshot } from './check-receipt.ts';
import { toClosedEvidence, type ClosedEvidence, type OpenEvidence } from './closed-evidence.ts';
import type { Work } from '../loop/work.ts';

/** Maximum paths in `changed`. */
const MAX_CHANGED = 10;
/** Maximum bytes of a file that is searched for a weakened check, and maximum number of files. */
const MAX_TEXT = 512 * 1_024;
const MAX_FILES = 300;

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
      : await findWeakenings(
          await readChangedFiles(snapshots, { from: base, to: tree, isSearched: isCheckFile }),
          toTests(own),
        );
  const known = await findKnown(snapshots, earlier, base);
  const influences = await findInfluences(work, own, tree);
  // By-products of a check and of the later ones, from the last to the first.
  const derived = new Set<string>();
  const rows: Evidence[] = [];
  for (const [at, row] of [...all.entries()].toReversed()) {
    for (const { path } of await changes(snapshots, row.tree, row.left)) if (isDerived(path)) derived.add(path);
    const freshness = await freshnessOf(snapshots, row, { tree, derived });
    const weakened =
      at < earlier.length
        ? row.weakened
        : (weakenings.find((found) => found.weakens(row))?.reason ??
          findFewerTests(row, [...known, ...all.slice(earlier.length, at)]) ??
          influences.get(own[at - earlier.length]!));
    const { freshness: _, changed: _was, weakened: _weak, ...rest } = row;
    rows.unshift({ ...rest, ...freshness, weakened });
  }
  return rows;
}

/** Paths of the files that checks name as tests. */
function toTests(own: readonly Evidence[]): Set<string> {
  const checks = own.flatMap(({ checks = [] }) => checks.filter(({ kind }) => kind === 'test'));
  return new Set(checks.flatMap(({ cwd, paths }) => paths.map((path) => [cwd, path].filter(Boolean).join('/'))));
}

/** Checks of earlier runs after which no other program changed files until this run began. */
async function findKnown(
  snapshots: Snapshots,
  earlier: readonly Evidence[],
  base: TreeId | undefined,
): Promise<Evidence[]> {
  const known: Evidence[] = [];
  for (const row of earlier) {
    const seen = row.left ?? row.tree;
    if (seen === undefined || base === undefined || !snapshots.has(seen)) continue;
    if ((await changes(snapshots, seen, base)).every(({ path }) => isDerived(path))) known.push(row);
  }
  return known;
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
  return (await unlessFailed(() => snapshots.changes(from, to))) ?? [];
}

/** Records files of this run that checks load: they outlive the session, and a user rarely notices them. */
async function recordSuspects(work: Work): Promise<void> {
  const { base, changedFiles } = runOf(work.state);
  const to = work.state.left?.tree;
  if (base === undefined || to === undefined || !changedFiles) return;
  const files = await readChangedFiles(await work.snapshots(), { from: base, to, isSearched: isEnvironmentFile });
  const paths = findEnvironmentChanges(files).flatMap(({ suspect }) => suspect ?? []);
  if (paths.length === 0) return;
  const sandbox = await work.sandbox();
  await sandbox.suspect?.([...new Set(paths)]);
}

/** Changes since the beginning of the session that influence a check, by the check. */
async function findInfluences(work: Work, own: readonly Evidence[], tree: TreeId): Promise<Map<Evidence, string>> {
  const { origin, environment } = work.state;
  const snapshots = await work.snapshots();
  const isSearched = (path: string): boolean => isEnvironmentFile(path) || isCheckFile(path);
  const found = new Map<TreeId, ReturnType<typeof findEnvironmentChanges>>();
  const findUntil = async (to: TreeId | undefined): Promise<ReturnType<typeof findEnvironmentChanges>> => {
    if (origin === undefined || to === undefined || !snapshots.has(origin)) return [];
    const known =
      found.get(to) ?? findEnvironmentChanges(await readChangedFiles(snapshots, { from: origin, to, isSearched }));
    found.set(to, known);
    return known;
  };
  const reasons = new Map<Evidence, string>();
  for (const row of own) {
    // Files that influenced the check may have been removed since.
    const all = [...(await findUntil(row.tree)), ...(await findUntil(row.left)), ...(await findUntil(tree))];
    const reason = all.find((found) => found.weakens(row))?.reason ?? findOtherEnvironment(row, environment);
    if (reason !== undefined) reasons.set(row, reason);
  }
  return reasons;
}

/** Changed files that may influence a check, with their contents before and after. */
export async function readChangedFiles(
  snapshots: Snapshots,
  { from, to, isSearched }: { from: TreeId; to: TreeId; isSearched: (path: string) => boolean },
): Promise<ChangedFile[]> {
  const rows = (await changes(snapshots, from, to)).filter(
    ({ path, before, after }) => isSearched(path) && before?.type !== 'directory' && after?.type !== 'directory',
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

/** The contents of installed packages are not compared; only that they changed. */
function isInstalled(path: string): boolean {
  return /(?:^|\/)node_modules\//.test(path);
}

async function readText(snapshots: Snapshots, entry: TreeEntry | null): Promise<string | null> {
  if (entry === null || entry.type !== 'file' || entry.size > MAX_TEXT || !snapshots.isStored(entry)) return null;
  const content = await unlessFailed(() => snapshots.content(entry));
  return content ? new TextDecoder().decode(content) : null;
}
