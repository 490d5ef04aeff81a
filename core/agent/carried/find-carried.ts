import type { TreeChange, TreeId } from '../../protocol/index.ts';
import { createToolContext } from '../calls/tool-context.ts';
import { EMPTY_STATE, readText, readTextAt } from '../git/git-text.ts';
import type { Work } from '../loop/work.ts';
import { readNamed, type Named } from '../places/named-places.ts';
import { joinPath, resolveInside } from '../places/resolve-inside.ts';
import type { ContentEntry, ContentQuery, IndexContents, JudgedContents } from '../ports/committed-files.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { GuardInput } from '../workspace/guarded.ts';
import { toChange } from '../workspace/tree-row.ts';
import { readAccepted, toMode } from './accepted-contents.ts';
import type { Carried } from './carried.ts';
import { isWithoutEntries, readIndexes, toContents, type ChangedIndex } from './changed-indexes.ts';
import { isCarrier, isIndex, toGitFile, toIds, toNewLines, type GitFile } from './git-file.ts';
import { readKnown } from './known-ids.ts';
import { repairFile, toTop } from './repair-file.ts';

/** Larger files of the workspace are not compared with commits. */
const MAX_BYTES = 1_024 * 1_024;
/** Most rows of the workspace that are compared with commits. */
const MAX_FILES = 2_000;

interface CarriedInput extends GuardInput {
  /** Changes of the workspace at protected places. */
  rows: readonly TreeChange[];
}

/** Judges what commands of a turn wrote into git's own data. Changes nothing. */
export async function findCarried(work: Work, input: CarriedInput): Promise<Carried> {
  const { opened, tree, gitTree } = input;
  const carried: Carried = {
    repairs: [],
    paths: [],
    holders: [],
    unflagged: [],
    hidden: [],
    isSparse: false,
    found: new Set(),
  };
  const wasHidden = new Set(work.state.left?.hidden ?? []);
  if (gitTree === undefined || (gitTree === opened.gitTree && wasHidden.size === 0)) return carried;
  const snapshots = await work.snapshots();
  const changed = (await snapshots.changes(opened.tree, tree)).map(({ path }) => path);
  const isTouched = changed.some((path) => wasHidden.has(path));
  if (gitTree === opened.gitTree && !isTouched) return carried;
  const before = opened.gitTree;
  const files: GitFile[] = [];
  for (const row of await snapshots.changes(before ?? EMPTY_STATE, gitTree)) {
    const file = await toGitFile(snapshots, [before, gitTree], row);
    if (file) files.push(file);
  }
  for (const path of isTouched ? toTouchedIndexes(files, snapshots, gitTree) : []) {
    const entry = (await snapshots.entry(gitTree, path)) ?? null;
    const row: TreeChange = { path, kind: 'modified', before: entry, after: entry };
    const file = await toGitFile(snapshots, [gitTree], row);
    if (file && entry) files.push(file);
  }
  const named = await readNamed(work);
  for (const own of Map.groupBy(files, ({ folder }) => folder).values())
    await judgeFolder({ ...input, changed, work, snapshots, gitTree, named, wasHidden }, own, carried);
  return carried;
}

/** The indexes of repositories that did not change. */
function toTouchedIndexes(files: readonly GitFile[], snapshots: Snapshots, gitTree: TreeId): string[] {
  const paths = snapshots.git(gitTree).map(({ path }) => joinPath(path, '.git/index'));
  return paths.filter((path) => !files.some(({ row }) => row.path === path));
}

interface FolderInput extends CarriedInput {
  /** Paths that changed in the workspace. */
  changed: readonly string[];
  work: Work;
  snapshots: Snapshots;
  gitTree: TreeId;
  named: Named;
  wasHidden: ReadonlySet<string>;
}

async function judgeFolder(input: FolderInput, files: readonly GitFile[], carried: Carried): Promise<void> {
  const { work, snapshots, opened, tree, gitTree, named } = input;
  const { folder, repository } = files[0]!;
  const isNested = folder === joinPath(repository, '.git') && repository !== '';
  // A new repository inside the workspace is content of others; planted configuration was removed before.
  if (isNested && !(opened.gitTree && (await snapshots.entry(opened.gitTree, `${folder}/HEAD`)))) return;
  const [top = repository] = await toTop(snapshots, tree, folder);
  if (files.some(({ name }) => name === 'info/sparse-checkout')) carried.isSparse = true;
  const find = toFinder(snapshots, gitTree, repository);
  const lines = new Map<GitFile, Map<string, string[]>>();
  for (const file of files.filter(isCarrier)) {
    const [was, is] = [await readText(snapshots, file.row.before), await readText(snapshots, file.row.after)];
    const rows = toNewLines(was ?? '', is ?? '').map((line) => [line, toIds(file.name, line, find)] as const);
    lines.set(file, new Map(rows.map(([line, ids]) => [line, ids])));
  }
  const { known, further } = await readKnown(work, files[0]!, opened.gitTree);
  const isKnown = new Set(known);
  const written = new Set([...lines.values()].flatMap((rows) => [...rows.values()].flat()));
  const tips = [...written].filter((id) => !isKnown.has(id));
  const acceptsLink = (path: string, commit: string): Promise<boolean> => judgeLink(input, path, commit);
  const accepted = await readAccepted(work, { opened, tree, named, repository: top, acceptsLink });
  // Git reads the tips during this.
  const reading = readIndexes(snapshots, files.filter(isIndex));
  const query: ContentQuery = {
    repository: top,
    gitFolder: folder,
    known: [...known, ...toNamedIds(snapshots, gitTree, { repository, named })],
    further,
    tips,
    indexes: reading.then((indexes) => toContents(indexes, accepted)),
    files: await readFiles(input, folder),
    ...accepted,
  };
  const isEmpty = tips.length + query.files.length === 0 && isWithoutEntries(await query.indexes);
  const judged = isEmpty ? NOTHING : await judge(work, query);
  const indexes = await reading;
  for (const path of judged.found) carried.found.add(joinPath(top, path));
  const tainted = new Set<string>(judged.carried.keys());
  await repairRefs(input, { top, files, lines, tainted, judged }, carried);
  for (const index of indexes) await repairIndex(input, { ...index, top, unknown: judged.unknown, accepted }, carried);
}

const NO_INDEX: IndexContents = { entries: [], isComplete: true };
const NOTHING: JudgedContents = { carried: new Map(), unknown: [], found: new Set(), named: new Map() };

/** Objects that cannot be read count as new. */
async function judge(work: Work, query: ContentQuery): Promise<JudgedContents> {
  try {
    return await work.engine.judgeContents(await createToolContext(work, 'guard'), query);
  } catch (error) {
    if (work.stop.aborted) throw error;
    const carried = new Map(query.tips.map((id) => [id, []]));
    return { ...NOTHING, carried, unknown: (await query.indexes).entries };
  }
}

/** A commit of a submodule or a nested repository, whose files the next update checks out. */
async function judgeLink({ work, ...input }: FolderInput, path: string, commit: string): Promise<boolean> {
  const { snapshots, tree, gitTree, opened, named } = input;
  const position = snapshots.git(tree).find((each) => each.path === path);
  if (!position) return true;
  const [, target] = /^gitdir: *(.+)$/.exec(position.head) ?? [];
  const folder = target === undefined ? joinPath(path, '.git') : resolveInside(path, target);
  if (folder === undefined || !(await snapshots.entry(gitTree, `${folder}/HEAD`))) return true;
  const at = folder.startsWith(`${path}/`) ? path : '';
  const { known, further } = await readKnown(work, { folder, repository: at }, opened.gitTree);
  const acceptsLink = async (): Promise<boolean> => true;
  const accepted = await readAccepted(work, { opened, tree, named, repository: path, acceptsLink });
  const query = { repository: path, gitFolder: folder, known, further, tips: [commit], indexes: NO_INDEX, files: [] };
  return (await judge(work, { ...query, ...accepted })).carried.size === 0;
}

/** The object id of a ref, also of a remote-tracking one. */
function toFinder(snapshots: Snapshots, gitTree: TreeId, repository: string): (ref: string) => string | undefined {
  const refs = snapshots.git(gitTree).find(({ path }) => path === repository)?.refs ?? {};
  return (ref) => {
    let value = refs[ref];
    for (let hops = 0; value?.startsWith('ref: ') && hops < 5; hops++) value = refs[value.slice(5).trim()];
    return value;
  };
}

/** Object ids of refs that approved questions named. */
function toNamedIds(snapshots: Snapshots, gitTree: TreeId, of: { repository: string; named: Named }): string[] {
  const refs = snapshots.git(gitTree).find(({ path }) => path === of.repository)?.refs ?? {};
  return Object.entries(refs).flatMap(([ref, id]) =>
    of.named.hasRef(ref) || of.named.hasRef(ref.replace(/^refs\/remotes\//, ''))
      ? (id.match(/^[0-9a-f]{40,64}$/) ?? [])
      : [],
  );
}

/** The changed files of the workspace that belong to a repository. */
async function readFiles({ snapshots, rows, tree }: FolderInput, folder: string): Promise<ContentQuery['files']> {
  const tops = await toTop(snapshots, tree, folder);
  const all = snapshots.git(tree).map(({ path }) => path);
  const files: ContentQuery['files'][number][] = [];
  for (const { path, before, after } of rows.slice(0, MAX_FILES)) {
    const entry = after ?? before;
    const holder = all
      .filter((top) => top === '' || path.startsWith(`${top}/`))
      .toSorted((a, b) => b.length - a.length)[0];
    if (holder === undefined || !tops.includes(holder) || entry?.type === 'directory') continue;
    if (!entry || entry.size > MAX_BYTES || (entry.mode & 0o7000) !== 0 || !snapshots.isStored(entry, path)) continue;
    const inside = holder === '' ? path : path.slice(holder.length + 1);
    files.push({ path: inside, mode: toMode(entry), content: await snapshots.content(entry), isGone: after === null });
  }
  return files;
}

interface RefsInput {
  top: string;
  files: readonly GitFile[];
  /** Object ids by the new lines of each carrier. */
  lines: ReadonlyMap<GitFile, ReadonlyMap<string, string[]>>;
  tainted: ReadonlySet<string>;
  judged: JudgedContents;
}

async function repairRefs(
  input: FolderInput,
  { top, files, lines, tainted, judged }: RefsInput,
  carried: Carried,
): Promise<void> {
  if (tainted.size === 0 && !files.some(({ name }) => name === 'packed-refs')) return;
  const { snapshots, opened } = input;
  const gone = new Set<string>();
  const found = new Map<string, ContentEntry>();
  for (const [file, rows] of lines) {
    const bad = new Set([...rows].flatMap(([line, ids]) => (ids.some((id) => tainted.has(id)) ? [line] : [])));
    if (bad.size === 0 && file.name !== 'packed-refs') continue;
    for (const line of bad)
      for (const id of rows.get(line)!) for (const entry of judged.carried.get(id) ?? []) found.set(entry.path, entry);
    const was =
      opened.gitTree === undefined
        ? undefined
        : (ref: string) => readTextAt(snapshots, opened.gitTree!, `${file.folder}/${ref}`);
    const { rows: repair, removed } = await repairFile(snapshots, { file, bad, was, isNamed: input.named.hasGitFile });
    for (const ref of removed) gone.add(`${file.folder}/${ref}`);
    if (repair.length > 0 && bad.size > 0 && !file.name.startsWith('logs/')) carried.holders.push(toHolder(file, bad));
    for (const { path, after } of repair) if (after === null) gone.add(path);
    carried.repairs.push(...repair);
  }
  for (const path of found.keys()) carried.paths.push(joinPath(top, path));
  // HEAD does not stay on a branch that is removed.
  for (const { name, folder, row } of files) {
    const [, ref] = /^ref: *(\S+)/.exec((await readText(snapshots, row.after)) ?? '') ?? [];
    if (name !== 'HEAD' || ref === undefined || !gone.has(`${folder}/${ref}`) || !row.before) continue;
    if (!carried.repairs.some(({ path }) => path === row.path))
      carried.repairs.push(...toChange(row.path, row.after, row.before));
  }
}

/** What a file of git's own data is for the user. */
function toHolder({ name, folder, repository }: GitFile, lines: ReadonlySet<string>): string {
  const refs = name === 'packed-refs' ? [...lines].map((line) => line.split(' ')[1] ?? '').join(', ') : name;
  return folder === '.git' ? refs : `${refs} of ${repository === '' ? folder : repository}`;
}

async function repairIndex(
  { snapshots, tree, changed, wasHidden, opened, gitTree }: FolderInput,
  of: ChangedIndex & {
    top: string;
    unknown: readonly ContentEntry[];
    accepted: { isPlace(path: string, mode: string): boolean };
  },
  carried: Carried,
): Promise<void> {
  const { file, difference, unknown, accepted, top } = of;
  const { row, folder } = file;
  const isLink = ({ mode }: ContentEntry): boolean => mode === '160000';
  if (difference === undefined) {
    if (unknown.length === 0) return;
    for (const { path } of unknown) carried.paths.push(joinPath(top, path));
    carried.holders.push(folder === '.git' ? 'the index' : `the index of ${folder}`);
    // Such an index consists of several files.
    const rows = await snapshots.changes(opened.gitTree ?? EMPTY_STATE, gitTree);
    const parts = rows.filter(({ path }) => path === row.path || path.startsWith(`${folder}/sharedindex.`));
    carried.repairs.push(...parts.flatMap(({ path, before, after }) => toChange(path, after, before)));
    return;
  }
  const isNew = new Set(unknown.map(({ path, blob, mode }) => `${mode} ${blob} ${path}`));
  const { changes, isForged } = difference;
  const bad = changes.filter(({ path, blob, mode }) => isNew.has(`${mode} ${blob} ${path}`));
  const touched = new Set(changed);
  const isSparse = (await snapshots.entry(gitTree, `${folder}/info/sparse-checkout`)) !== undefined;
  const unflagged = new Set<string>();
  for (const change of changes) {
    const { path, mode, isHidden } = change;
    const full = joinPath(top, path);
    if (!isHidden || (change.before?.isHidden === true && !wasHidden.has(full))) continue;
    const isAbsent = isSparse && (await snapshots.entry(tree, full)) === undefined;
    const isWatched = touched.has(full) || (accepted.isPlace(path, mode) && !isLink(change));
    if (isWatched && !isAbsent) unflagged.add(path);
    else if (!isAbsent) carried.hidden.push(full);
  }
  // An index with forged trees is written again too.
  if (bad.length + unflagged.size === 0 && (row.before === row.after || !isForged)) return;
  const edits = { restored: new Set(bad.map(({ path }) => path)), unflagged };
  const before = row.before === row.after ? null : row.before;
  const repaired = await snapshots.repairIndex({ before, after: row.after! }, edits);
  if (!repaired) return;
  for (const path of edits.restored) carried.paths.push(joinPath(top, path));
  if (bad.length > 0) carried.holders.push(folder === '.git' ? 'the index' : `the index of ${folder}`);
  carried.unflagged.push(...[...unflagged].map((path) => joinPath(top, path)));
  carried.repairs.push(...toChange(row.path, row.after, repaired));
}
