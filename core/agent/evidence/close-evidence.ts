import {
  findClaims,
  findEnvironmentChanges,
  findWeakenings,
  isCheckFile,
  isEnvironmentFile,
  judgeClaims,
  toClaimStatus,
  type ChangedFile,
} from '../../policy/index.ts';
import {
  optional,
  isKlausError,
  toText,
  type Claim,
  type ClaimStatus,
  type Evidence,
  type TreeChange,
  type TreeEntry,
  type TreeId,
} from '../../protocol/index.ts';
import { findOtherEnvironment } from './check-environment.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf, runOf, type State } from '../loop/state.ts';
import { look } from './take-evidence.ts';
import type { Work } from '../loop/work.ts';

/** What `run.finished` says about the checks of a run and about what its last words claim. */
export interface Closed {
  evidence: Evidence[];
  tree?: TreeId;
  claim: ClaimStatus;
  claims?: Claim[];
}

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

/**
 * Compares the checks of the run with the workspace as it is now, and what the model's last words claim with the
 * checks. A run without either costs nothing.
 *
 * @param isWhole The model ended the run by itself; else its last words are no summary.
 */
export async function closeEvidence(work: Work, isWhole: boolean): Promise<Closed> {
  const { state } = work;
  await keepSuspects(work);
  const own = runOf(state).evidence;
  const found = isWhole ? findClaims(lastWords(state)) : [];
  // Whoever only read or explained has nothing that could work.
  const claims = found.filter(({ kind }) => kind !== 'any' || runOf(state).acted);
  const earlier = claims.length > 0 ? state.evidence : [];
  if (own.length + earlier.length === 0) {
    const judged = judgeClaims(claims, []);
    return { evidence: [], claim: toClaimStatus(judged), ...(judged.length > 0 ? { claims: judged } : {}) };
  }
  const { recorded } = work.engine;
  if (recorded) return closeAsRecorded(recorded.closed(), { own, earlier, claims });
  const tree = openedOf(state).snapshots === false ? undefined : await look(work);
  const rows = await compare(work, { own, earlier, tree });
  const judged = judgeClaims(claims, rows);
  return {
    evidence: rows.slice(earlier.length),
    ...optional({ tree }),
    claim: toClaimStatus(judged),
    ...(judged.length > 0 ? { claims: judged } : {}),
  };
}

interface Closing {
  own: readonly Evidence[];
  earlier: readonly Evidence[];
  claims: ReturnType<typeof findClaims>;
}

/** In a replay: how the files stood is recorded, what follows from it for what was claimed is made anew. */
function closeAsRecorded(found: Closed | undefined, { own, earlier, claims }: Closing): Closed {
  const evidence = own.map((row, at): Evidence => {
    const { freshness, changed, weakened } = found?.evidence[at] ?? {};
    return { ...row, ...dropAbsent({ freshness, changed, weakened }) };
  });
  // How checks of earlier runs stood then is not recorded.
  const judged = earlier.length > 0 ? (found?.claims ?? []) : judgeClaims(claims, evidence);
  return {
    evidence,
    ...optional({ tree: found?.tree }),
    claim: toClaimStatus(judged),
    ...(judged.length > 0 ? { claims: judged } : {}),
  };
}

function dropAbsent(row: { [K in 'freshness' | 'changed' | 'weakened']?: Evidence[K] }): Partial<Evidence> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** All that the model said since it last got a result or a message; a reply that was cut counts with what follows. */
function lastWords(state: State): string {
  const said: string[] = [];
  for (const message of state.messages.toReversed()) {
    if (message.role === 'assistant') said.unshift(toText(message));
    else if (message.origin !== 'engine') break;
  }
  return said.join('');
}

interface Comparing {
  own: readonly Evidence[];
  earlier: readonly Evidence[];
  tree: TreeId | undefined;
}

async function compare(work: Work, { own, earlier, tree }: Comparing): Promise<Evidence[]> {
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
async function keepSuspects(work: Work): Promise<void> {
  const { base, changedFiles } = runOf(work.state);
  const to = work.state.left?.tree;
  if (work.engine.recorded || base === undefined || to === undefined || !changedFiles) return;
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
