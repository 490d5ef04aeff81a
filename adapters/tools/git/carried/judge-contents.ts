import { isAbsolute, join } from 'node:path';
import type { ContentEntry, ContentQuery, JudgeContents, JudgedContents } from '@klaus/core/agent';
import { toolFailed } from '../../tool-failed.ts';
import type { GitContext } from '../git.ts';
import { toObjectId, toObjects } from '../git-objects.ts';
import type { Repository } from '../repository.ts';
import { CASES, COMPLETE, MAX_COMMITS, PART } from './cases.ts';
import { openGitDialogue, type GitDialogue } from './git-dialogue.ts';

/** Most paths of which the history is read. */
const MAX_PATHS = 500;
/** Most bytes of one answer. */
const KEEP_BYTES = 64 * 1_024 * 1_024;
/** Milliseconds. An agent may have replaced an object by a pipe, which must not block the run. */
const TIMEOUT = 60_000;
const GITLINK = '160000';
const ENV = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
};

interface Commit {
  parents: string[];
  entries: ContentEntry[];
}

/** What Git says about a query. */
interface Found {
  /** By the names of the tips. */
  tips: ReadonlyMap<string, { type: string; id: string }>;
  commits: ReadonlyMap<string, Commit>;
  /** The complete content of the tips that are trees. */
  trees: ReadonlyMap<string, readonly ContentEntry[]>;
  /** Entries of the query and of the index at places. */
  entries: readonly ContentEntry[];
  /** Entries at places that no known commit has, by key. */
  open: Map<string, ContentEntry>;
  /** Content by object id. */
  contents: ReadonlyMap<string, Uint8Array>;
}

type JudgedFile = ContentQuery['files'][number] & { blob: string };

export const judgeContents: JudgeContents = async (context, query) => {
  const length = query.known[0]?.length ?? 40;
  const files = query.files.map((file) => ({ ...file, blob: toObjectId('blob', file.content, length) }));
  const found = await find(context, query, files);
  const { open, contents } = found;
  for (const [key, entry] of [...open]) if (await query.accepts(entry, contents.get(entry.blob))) open.delete(key);
  return toJudged(query, files, found);
};

async function find(context: GitContext, query: ContentQuery, files: readonly JudgedFile[]): Promise<Found> {
  const dialogue = openGitDialogue(context, {
    repository: toRepository(context, query),
    cases: CASES,
    env: ENV,
    timeoutMs: TIMEOUT,
    keepBytes: KEEP_BYTES,
  });
  try {
    const [{ tips, commits }, given] = await Promise.all([readCommits(dialogue, query), query.indexes]);
    const isPlace = ({ path, mode }: ContentEntry): boolean => query.isPlace(path, mode);
    const index = given.isComplete ? [] : toIndexEntries(await dialogue.ask('index'));
    const entries = [...given.entries, ...index].filter(isPlace);
    const trees = await readTrees(dialogue, tips);
    const introduced = toIntroduced({ commits, trees }).filter(isPlace);
    const contents = new Map<string, Uint8Array>(files.map(({ blob, content }) => [blob, content]));
    const judged = [...introduced, ...entries, ...files.filter(({ isGone }) => !isGone)];
    const open = await findOpen(dialogue, query, { entries: judged, contents });
    return { tips, commits, trees, entries, open, contents };
  } finally {
    await dialogue.close();
  }
}

function toIntroduced({ commits, trees }: Pick<Found, 'commits' | 'trees'>): ContentEntry[] {
  return [...[...commits.values()].flatMap((commit) => commit.entries), ...[...trees.values()].flat()];
}

function toJudged(query: ContentQuery, files: readonly JudgedFile[], found: Found): JudgedContents {
  const { tips, commits, trees, entries, open } = found;
  const isPlace = ({ path, mode }: ContentEntry): boolean => query.isPlace(path, mode);
  const isNew = (entry: ContentEntry): boolean => open.has(toKey(entry));
  const inherited = new Map<string, ContentEntry[]>();
  // Parents come after their children.
  for (const [id, commit] of [...commits].toReversed()) {
    const found = [
      ...commit.entries.filter((entry) => isPlace(entry) && isNew(entry)),
      ...commit.parents.flatMap((parent) => inherited.get(parent) ?? []),
    ];
    if (found.length > 0) inherited.set(id, [...new Map(found.map((entry) => [toKey(entry), entry])).values()]);
  }
  const carried = new Map<string, readonly ContentEntry[]>();
  for (const [name, { type, id }] of tips) {
    const found =
      type === 'tree' ? (trees.get(id) ?? []).filter((entry) => isPlace(entry) && isNew(entry)) : inherited.get(id);
    if (found && found.length > 0) carried.set(name, found);
  }
  const named = new Map([...tips].map(([name, { id }]) => [name, id]));
  const kept = new Set(toIntroduced(found).filter(isPlace).map(toKey));
  const isFound = (file: JudgedFile): boolean => (file.isGone ? kept.has(toKey(file)) : !isNew(file));
  const paths = new Set(files.filter(isFound).map(({ path }) => path));
  return { carried, unknown: entries.filter(isNew), found: paths, named };
}

function toRepository({ workspace }: GitContext, { repository, gitFolder }: ContentQuery): Repository {
  const toPath = (path: string): string => (isAbsolute(path) ? path : join(workspace.root, path));
  const gitDir = toPath(gitFolder);
  return { top: toPath(repository), gitDir, commonDir: gitDir, inside: true };
}

/** The objects that the tips name, and the new commits, each before its parents. */
async function readCommits(dialogue: GitDialogue, { tips, known }: ContentQuery) {
  if (tips.length === 0) return { tips: new Map<string, never>(), commits: new Map<string, never>() };
  const answer = await dialogue.ask('commits', {
    args: tips.map((id) => `${id}^{} ${id}`),
    input: [...tips.map((id) => `${id}^{commit}`), ...known.map((id) => `^${id}`)],
  });
  const [changes = '', types = ''] = answer.split(PART);
  const named = toTips(types);
  const isComplete = changes.endsWith(COMPLETE);
  if (!isComplete && [...named.values()].some(({ type }) => type === 'commit'))
    throw toolFailed('The commits of a command cannot be read.');
  const commits = toCommits(isComplete ? changes.slice(0, -COMPLETE.length) : '');
  if (commits.size >= MAX_COMMITS) throw toolFailed(`A command added more than ${MAX_COMMITS} commits.`);
  return { tips: named, commits };
}

/** The objects that the tips name, by the names: a tag names its target. */
function toTips(text: string): Map<string, { type: string; id: string }> {
  return new Map(
    text.split('\n').flatMap((line): [string, { type: string; id: string }][] => {
      const [, type, id, name] = /^(\w+) ([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, { type: type!, id: id! }]];
    }),
  );
}

function toCommits(changes: string): Map<string, Commit> {
  const commits = new Map<string, Commit>();
  let current: Commit | undefined;
  for (const item of toRaw(changes)) {
    if (typeof item !== 'string') {
      current?.entries.push(item);
      continue;
    }
    const [id = '', ...parents] = item.trim().split(' ');
    commits.set(id, (current = { parents, entries: [] }));
  }
  return commits;
}

/** The lines of commits, and what they have. @source https://git-scm.com/docs/diff-format, the raw formats */
function* toRaw(text: string): Generator<string | ContentEntry> {
  const tokens = text.split('\0');
  for (let at = 0; at < tokens.length; at++) {
    // A line break is between the line of a commit and its changes.
    const token = tokens[at]!.replace(/^\n/, '');
    const [colons = ''] = /^:+/.exec(token) ?? [];
    if (colons === '') {
      if (token !== '') yield token;
      continue;
    }
    const fields = token.slice(colons.length).split(' ');
    const mode = fields[colons.length] ?? '';
    const path = tokens[++at];
    if (path !== undefined && !/^0+$/.test(mode)) yield { path, mode, blob: fields[2 * colons.length + 1] ?? '' };
  }
}

/** The output of `git ls-files --stage -z`. */
function toIndexEntries(text: string): ContentEntry[] {
  return text.split('\0').flatMap((line) => {
    const [, mode, blob, path] = /^(\d+) ([0-9a-f]+) \d\t([^]*)$/.exec(line) ?? [];
    return path === undefined ? [] : [{ path, mode: mode!, blob: blob! }];
  });
}

/** The complete content of the tips that are trees. */
async function readTrees(dialogue: GitDialogue, tips: Found['tips']): Promise<Map<string, ContentEntry[]>> {
  const trees = new Map<string, ContentEntry[]>();
  const ids = [...tips.values()].flatMap(({ type, id }) => (type === 'tree' ? [id] : []));
  for (const id of new Set(ids)) {
    const text = await dialogue.ask('tree', { args: [id] });
    const entries = text.split('\0').flatMap((line) => {
      const [, mode, blob, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      return path === undefined ? [] : [{ path, mode: mode!, blob: blob! }];
    });
    trees.set(id, entries);
  }
  return trees;
}

/** The entries that no known commit has, by key. Adds their content to that of the files. */
async function findOpen(
  dialogue: GitDialogue,
  query: ContentQuery,
  { entries, contents }: { entries: readonly ContentEntry[]; contents: Map<string, Uint8Array> },
): Promise<Map<string, ContentEntry>> {
  const open = new Map(entries.map((entry) => [toKey(entry), entry]));
  // A path with a line break is not searched for, so that its content counts as new.
  const paths = [...new Set([...open.values()].map(({ path }) => path))].filter((path) => !path.includes('\n'));
  const known = [...query.known, ...query.further];
  for (let at = 0; at < paths.length && known.length > 0; at += MAX_PATHS) {
    const history = await dialogue.ask('history', { args: paths.slice(at, at + MAX_PATHS), input: known });
    for (const item of toRaw(history)) if (typeof item !== 'string') open.delete(toKey(item));
  }
  const blobs = new Set([...open.values()].flatMap(({ mode, blob }) => (mode === GITLINK ? [] : [blob])));
  const packed = blobs.size > 0 ? await dialogue.ask('blobs', { input: [...blobs] }) : '';
  for (const [id, { content }] of toObjects(Buffer.from(packed, 'base64'))) contents.set(id, content);
  return open;
}

function toKey({ path, mode, blob }: ContentEntry): string {
  return `${mode} ${blob} ${path}`;
}
