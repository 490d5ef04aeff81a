import { isAbsolute, join } from 'node:path';
import type { ContentEntry, ContentQuery, JudgeContents, JudgedContents } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { runGit, toGitError, type GitContext } from './git.ts';
import { toObjectId, toObjects } from './git-objects.ts';
import type { Repository } from './repository.ts';

/** Most commits between the known ones and a tip. */
const MAX_COMMITS = 20_000;
/** Most paths of which the history is read. */
const MAX_PATHS = 500;
/** Most bytes of one command's output. */
const KEEP_BYTES = 64 * 1_024 * 1_024;
/** Larger content is compared with that of known commits only. */
const MAX_BYTES = 1_024 * 1_024;
/** Milliseconds. An agent may have replaced an object by a pipe, which must not block the run. */
const TIMEOUT = 60_000;
const GITLINK = '160000';
const ENV = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
};

/** Ends a part of the output: no path is empty or has a null character, so that no name in a repository looks like it. */
const END = '\0\0end';
/** The same in the format of `printf`. */
const PRINT_END = String.raw`\000\000end`;

/**
 * Lists the types of the tips `$3`, `$4`, …, the new commits with their parents, their changes, and the index if `$2` is
 * 1. Known commits are on standard input.
 */
const SURVEY = `
set -u
max=$1 reads=$2
shift 2
types=
if [ $# -gt 0 ]; then types=$(printf '%s\\n' "$@" | git cat-file --batch-check='%(objecttype) %(objectname) %(rest)') || exit 9; fi
printf '%s\\n${PRINT_END}' "$types"
case $types in
  *commit*)
    ids=$(printf '%s\\n' "$types" | while read -r type id name; do [ "$type" = commit ] && printf '%s\\n' "$id"; done)
    commits=$({ printf '%s\\n' "$ids"; cat; } | git rev-list --topo-order --parents --ignore-missing --max-count="$max" --stdin) || exit 9
    printf '%s\\n${PRINT_END}' "$commits"
    if [ -n "$commits" ]; then
      printf '%s\\n' "$commits" | git diff-tree --stdin --always -r -c --root --raw --no-abbrev -z --no-renames || exit 9
    fi
    ;;
  *) printf '${PRINT_END}' ;;
esac
printf '${PRINT_END}'
if [ "$reads" = 1 ]; then git ls-files --stage -z || exit 9; fi
`;

/** Lists the content that known commits have at the paths, and reads the blobs. */
const COMPARE = `
set -u
input=$(cat)
known=$(printf '%s\\n' "$input" | sed -n 's/^known //p')
if [ -n "$known" ]; then
  printf '%s\\n' "$known" | git rev-list --full-history --ignore-missing --stdin -- "$@" |
    git diff-tree --stdin -r -m --root --raw --no-abbrev -z --no-renames -- "$@"
fi
printf '${PRINT_END}'
printf '%s\\n' "$input" | sed -n 's/^blob //p' | git cat-file --batch-check='%(objectname) %(objectsize)' |
  awk '$2 ~ /^[0-9]+$/ && $2 <= ${MAX_BYTES} { print $1 }' | git cat-file --batch | base64
`;

interface Commit {
  parents: string[];
  entries: ContentEntry[];
}

export const judgeContents: JudgeContents = async (context, query) => {
  const repository = toRepository(context, query);
  const args = [String(MAX_COMMITS), query.readsIndex ? '1' : '0', ...query.tips.map((id) => `${id}^{} ${id}`)];
  const known = query.known.map((id) => `^${id}`);
  const survey = await run(context, { repository, script: SURVEY, args }, known);
  const [types = '', graph = '', changes = '', index = ''] = survey.split(END);
  const tips = toTips(types);
  const commits = toCommits(graph, changes);
  if (commits.size >= MAX_COMMITS) throw toolFailed(`A command added more than ${MAX_COMMITS} commits.`);
  const length = query.known[0]?.length ?? 40;
  const files = query.files.map((file) => ({ ...file, blob: toObjectId('blob', file.content, length) }));
  const entries = [...query.entries, ...toIndexEntries(index)].filter(({ path, mode }) => query.isPlace(path, mode));
  const trees = await readTrees(
    context,
    repository,
    [...tips.values()].flatMap(({ type, id }) => (type === 'tree' ? [id] : [])),
  );
  const isPlace = ({ path, mode }: ContentEntry): boolean => query.isPlace(path, mode);
  const introduced = [
    ...[...commits.values()].flatMap((commit) => commit.entries),
    ...[...trees.values()].flat(),
  ].filter(isPlace);
  const contents = new Map(files.map(({ blob, content }) => [blob, content]));
  const news = await findNew(context, {
    repository,
    query,
    contents,
    entries: [...introduced, ...entries, ...files.filter(({ isGone }) => !isGone)],
  });
  const isNew = (entry: ContentEntry): boolean => news.has(toKey(entry));
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
  const kept = new Set(introduced.map(toKey));
  const isFound = (file: (typeof files)[number]): boolean => (file.isGone ? kept.has(toKey(file)) : !isNew(file));
  const found = new Set(files.filter(isFound).map(({ path }) => path));
  return { carried, unknown: entries.filter(isNew), found, named } satisfies JudgedContents;
};

function toRepository({ workspace }: GitContext, { repository, gitFolder }: ContentQuery): Repository {
  const toPath = (path: string): string => (isAbsolute(path) ? path : join(workspace.root, path));
  const gitDir = toPath(gitFolder);
  return { top: toPath(repository), gitDir, commonDir: gitDir, inside: true };
}

interface Command {
  repository: Repository;
  script: string;
  args: readonly string[];
}

/** @throws KlausError `tool.failed`. */
async function run(
  context: GitContext,
  { repository, script, args }: Command,
  lines: readonly string[],
): Promise<string> {
  const result = await runGit(context, ['/bin/sh', '-c', script, 'klaus', ...args], {
    repository,
    stdin: `${lines.filter((line) => !line.slice(0, -1).includes('\n')).join('\n')}\n`,
    env: ENV,
    timeoutMs: TIMEOUT,
    keepBytes: KEEP_BYTES,
  });
  if (result.exitCode !== 0) throw toGitError(result);
  if (result.truncated) throw toolFailed('The changes of a command are too many to be read.');
  return result.stdout;
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

/** The new commits, each before its parents. */
function toCommits(graph: string, changes: string): Map<string, Commit> {
  const commits = new Map<string, Commit>();
  for (const line of graph.split('\n')) {
    const [id = '', ...parents] = line.split(' ');
    if (id !== '') commits.set(id, { parents, entries: [] });
  }
  let current: Commit | undefined;
  for (const item of toRaw(changes)) {
    if (typeof item === 'string') current = commits.get(item);
    else current?.entries.push(item);
  }
  return commits;
}

/** The ids of commits, and what they have. @source https://git-scm.com/docs/diff-format, the raw formats */
function* toRaw(text: string): Generator<string | ContentEntry> {
  const tokens = text.split('\0');
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
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

/** The complete content of trees that are no trees of commits. */
async function readTrees(
  context: GitContext,
  repository: Repository,
  ids: readonly string[],
): Promise<Map<string, ContentEntry[]>> {
  const trees = new Map<string, ContentEntry[]>();
  for (const id of new Set(ids)) {
    const text = await run(context, { repository, script: 'git ls-tree -r -z "$1"', args: [id] }, []);
    const entries = text.split('\0').flatMap((line) => {
      const [, mode, blob, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      return path === undefined ? [] : [{ path, mode: mode!, blob: blob! }];
    });
    trees.set(id, entries);
  }
  return trees;
}

interface NewQuery {
  repository: Repository;
  query: ContentQuery;
  entries: readonly ContentEntry[];
  /** Content by object id; those of the repository are added. */
  contents: Map<string, Uint8Array>;
}

/** Keys of the entries that no known commit has and that were not approved. */
async function findNew(context: GitContext, { repository, query, entries, contents }: NewQuery): Promise<Set<string>> {
  const open = new Map(entries.map((entry) => [toKey(entry), entry]));
  if (open.size === 0) return new Set();
  // A path with a line break is not searched for, so that its content counts as new.
  const paths = [...new Set([...open.values()].map(({ path }) => path))].filter((path) => !path.includes('\n'));
  const blobs = new Set([...open.values()].flatMap(({ mode, blob }) => (mode === GITLINK ? [] : [blob])));
  for (let at = 0; at < paths.length; at += MAX_PATHS) {
    const lines = [
      ...[...query.known, ...query.further].map((id) => `known ${id}`),
      ...(at === 0 ? [...blobs].map((id) => `blob ${id}`) : []),
    ];
    const args = paths.slice(at, at + MAX_PATHS);
    const [history = '', packed = ''] = (await run(context, { repository, script: COMPARE, args }, lines)).split(END);
    for (const item of toRaw(history)) if (typeof item !== 'string') open.delete(toKey(item));
    for (const [id, { content }] of toObjects(Buffer.from(packed, 'base64'))) contents.set(id, content);
  }
  for (const [key, entry] of [...open]) if (await query.accepts(entry, contents.get(entry.blob))) open.delete(key);
  return new Set(open.keys());
}

function toKey({ path, mode, blob }: ContentEntry): string {
  return `${mode} ${blob} ${path}`;
}
