import { writesNothing } from '../../policy/index.ts';
import {
  unlessFailed,
  type Event,
  type Message,
  type OtherChange,
  type TreeChange,
  type TreeEntry,
  type TreeId,
} from '../../protocol/index.ts';
import { toAbsolute } from '../folders/members.ts';
import { EMPTY_STATE, OWN_REFS } from '../git/git-text.ts';
import type { Work } from '../loop/work.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf, type State } from '../state/state.ts';
import { joinActivities, readActivity, type Activity } from './activity.ts';
import { hasEditorTrace } from './editor-traces.ts';
import { findAuthors, type AuthorFacts } from './find-authors.ts';
import type { OwnState, OwnStateInput } from './owned.ts';

/** Maximum paths in `others`. */
const MAX_OTHERS = 200;
/** A file can change after it was read for a snapshot, and before the event of the snapshot. */
const MAX_SNAPSHOT_MS = 60_000;

/** Divides the changes of a turn by their authors: the session, others, or unclear. */
export async function findOwnState(work: Work, input: OwnStateInput): Promise<OwnState> {
  // A managed workspace has no other authors.
  if (work.engine.settings.keepsStates === true) return {};
  const snapshots = await work.snapshots();
  const { opened, guarded } = input;
  const rows = await snapshots.changes(opened.tree, guarded.tree);
  const gitRows = (await changesOf(snapshots, opened.gitTree, guarded.gitTree)).filter(
    ({ path }) => !OWN_REFS.test(path),
  );
  if (rows.length + gitRows.length === 0) return {};
  const facts = await readFacts(work, snapshots, { ...input, rows, gitRows });
  const files = await divide(snapshots, { base: opened.tree, rows, facts });
  const git = await divide(snapshots, { base: opened.gitTree ?? EMPTY_STATE, rows: gitRows, facts });
  if (!files && !git) return {};
  const others = [...(files?.others ?? []), ...(git?.others ?? [])];
  return {
    ...(files ? { own: files.own, unclear: files.unclear } : {}),
    ...(git ? { gitOwn: git.own } : {}),
    others: others.toSorted((a, b) => Number(b.by === 'unclear') - Number(a.by === 'unclear')).slice(0, MAX_OTHERS),
  };
}

async function changesOf(snapshots: Snapshots, before: TreeId | undefined, after: TreeId | undefined) {
  return before === after ? [] : snapshots.changes(before ?? EMPTY_STATE, after ?? EMPTY_STATE);
}

interface Divided {
  own: TreeId;
  unclear?: TreeId;
  others: OtherChange[];
}

/** Undefined if all changes are the session's own. */
async function divide(
  snapshots: Snapshots,
  { base, rows, facts }: { base: TreeId; rows: readonly TreeChange[]; facts: AuthorFacts },
): Promise<Divided | undefined> {
  const authors = await findAuthors(rows, facts);
  const isBy = (by: string) => (row: TreeChange) => authors.get(row.path)!.by === by;
  const owned = rows.filter(isBy('own'));
  if (owned.length === rows.length) return undefined;
  const own = await snapshots.edit(base, owned);
  const unclear = rows.filter(isBy('unclear'));
  const others = rows.flatMap(({ path }): OtherChange[] => {
    const author = authors.get(path)!;
    return author.by === 'own' ? [] : [{ path, ...author }];
  });
  return { own, ...(unclear.length > 0 ? { unclear: await snapshots.edit(own, unclear) } : {}), others };
}

async function readFacts(
  work: Work,
  snapshots: Snapshots,
  { opened, found, guarded, rows, gitRows }: OwnStateInput & Rows,
): Promise<AuthorFacts> {
  const { engine, session, state } = work;
  const { workspace, writable = [], runner } = openedOf(state);
  const events = await readLog(engine.store, session, opened.seq);
  const own = [readActivity(events, { ...toOptions(work, state), since: opened.at })];
  // Programs that run all the time can write at any time.
  const isRunning = [...state.processes.values()].some(({ last }) => last.state === 'started');
  if (runner !== undefined || isRunning || events.some(({ type }) => type === 'process.changed'))
    own[0]!.commands.push({ from: 0, to: Number.POSITIVE_INFINITY, isQuiet: false });
  const others = new Map<string, Activity>();
  const since = opened.at - MAX_SNAPSHOT_MS;
  const active = (await engine.sessionsIn?.([workspace, ...writable], since)) ?? [];
  const parents = new Map(active.map(({ id, parent }) => [id, parent]));
  for (const { id } of active) {
    if (id === session) continue;
    const activity = await readOther(work, id, opened.at);
    if (isBelow(id, session, parents)) own.push(activity);
    else others.set(id, activity);
  }
  const isKnown = gitRows.length === 0 && isKnownAlone(rows, own[0]!, { workspace, others });
  return {
    own: joinActivities(own),
    others,
    toAbsolute: (path) => toAbsolute(workspace, path),
    times: isKnown ? new Map() : await readTimes(snapshots, { opened, found, guarded, rows, gitRows }),
    isEdited: (row) => hasEditorTrace(snapshots, row, guarded.tree),
    hasHooks: Object.values(engine.settings.hooks ?? {}).some((hooks) => hooks.length > 0),
  };
}

interface Rows {
  rows: readonly TreeChange[];
  gitRows: readonly TreeChange[];
}

/** An index is written again by every program that looks at the repository. */
const INDEX = /(?:^|\/)\.git\/(?:.*\/)?index$/;

/** When the paths were changed last. Unknown where Klaus itself has written since the last command. */
async function readTimes(
  snapshots: Snapshots,
  { opened, found, guarded, rows, gitRows }: OwnStateInput & Rows,
): Promise<ReadonlyMap<string, number | undefined>> {
  const repaired = [
    ...(await changesOf(snapshots, found.tree, guarded.tree)),
    ...(await changesOf(snapshots, found.gitTree, guarded.gitTree)),
  ];
  const unknown = new Set(repaired.map(({ path }) => path));
  const isAsked = ({ path, after }: TreeChange): boolean =>
    !unknown.has(path) && !INDEX.test(path) && (after !== null || repaired.length === 0);
  const paths = [...rows, ...gitRows].filter(isAsked).map(({ path }) => path);
  const times = await snapshots.changeTimes(paths);
  const isMoved = (path: string): boolean => (times.get(path) ?? opened.at) < opened.at;
  // A folder in which Klaus has written since has the time of that.
  const written = new Set(repaired.flatMap(({ path }) => toFolders(path).slice(0, 1)));
  const folders = new Set(paths.filter(isMoved).flatMap(toFolders));
  const moves = await snapshots.changeTimes([...folders].filter((folder) => !written.has(folder)));
  const toTime = (path: string): number | undefined => {
    const above = toFolders(path);
    const moved = above.map((folder) => moves.get(folder)).find((time) => time !== undefined && time >= opened.at);
    // If Klaus has written in a folder around it, the time of the move is not known.
    return moved ?? (above.some((folder) => written.has(folder)) ? undefined : times.get(path));
  };
  return new Map(paths.map((path) => [path, isMoved(path) ? toTime(path) : times.get(path)]));
}

/**
 * The folders around a path, the innermost first. A file in a folder that was renamed has an older time than its folder, which
 * has the time of the change, also if a folder of the same name was there before.
 */
function toFolders(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, names.length - at).join('/')).filter((folder) => folder !== '');
}

/** True if every change is an edit of the session: then no times are needed. */
function isKnownAlone(
  rows: readonly TreeChange[],
  { writes }: Activity,
  { workspace, others }: { workspace: string; others: ReadonlyMap<string, Activity> },
): boolean {
  if (others.size > 0) return false;
  const toContent = (entry: TreeEntry | null): string | null => entry?.hash ?? null;
  return rows.every(({ path, after }) => {
    const known = writes.get(toAbsolute(workspace, path));
    return known?.some((write) => write.after === toContent(after)) === true;
  });
}

async function readOther(work: Work, session: string, since: number): Promise<Activity> {
  const state = await loadState(work.engine, session);
  const events = await readLog(work.engine.store, session);
  const activity = readActivity(events, { ...toOptions(work, state), since });
  const { workspace } = openedOf(state);
  // The states of sessions in the same folders are in the same store.
  if (workspace !== openedOf(work.state).workspace) return activity;
  const snapshots = await work.snapshots();
  for (const { from, to } of toSteps(events, since)) {
    const rows = (await unlessFailed(() => snapshots.changes(from, to))) ?? [];
    for (const { path } of rows) activity.touched.add(toAbsolute(workspace, path));
  }
  return activity;
}

/** The states around the turns and restores of a session that ended since a time. */
function toSteps(events: readonly Event[], since: number): { from: TreeId; to: TreeId }[] {
  const steps: { from: TreeId; to: TreeId }[] = [];
  let from: TreeId | undefined;
  for (const event of events) {
    if (event.type === 'workspace.restored' && event.at >= since) steps.push(event);
    if (event.type !== 'workspace.snapshotted') continue;
    if (event.moment === 'after' && from !== undefined && event.at >= since)
      steps.push({ from, to: event.unclear ?? event.own ?? event.tree });
    from = event.moment === 'before' ? event.tree : undefined;
  }
  return steps;
}

function toOptions(
  { engine }: Work,
  state: State,
): Pick<Parameters<typeof readActivity>[1], 'workspace' | 'runsPrograms' | 'isQuiet'> {
  const { workspace } = openedOf(state);
  const commands = toCommands(state.messages);
  return {
    workspace,
    runsPrograms: (tool) => engine.tools.find(tool)?.effects.includes('execute') ?? false,
    isQuiet: (call) => {
      const command = commands.get(call);
      return command !== undefined && writesNothing(command, { workspace });
    },
  };
}

/** The commands of calls, by their ids. */
function toCommands(messages: readonly Message[]): Map<string, string> {
  const commands = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type !== 'call') continue;
      const { command } = (part.input ?? {}) as { command?: unknown };
      if (typeof command === 'string') commands.set(part.id, command);
    }
  return commands;
}

/** True for a session that another one started, or one of its agents did. */
function isBelow(id: string, top: string, parents: ReadonlyMap<string, string | undefined>): boolean {
  const seen = new Set<string>();
  for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (at === top) return true;
    seen.add(at);
  }
  return false;
}
