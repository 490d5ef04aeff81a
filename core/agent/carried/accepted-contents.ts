import { isPackageFile, placeOf, placesBelow } from '../../policy/index.ts';
import type { Event, FileChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import { scriptsOf } from '../calls/package-scripts.ts';
import type { Work } from '../loop/work.ts';
import { findNamedPlaces } from '../places/further-places.ts';
import type { WorkspaceState } from '../places/linked-places.ts';
import type { Named } from '../places/named-places.ts';
import { joinPath } from '../places/resolve-inside.ts';
import type { ContentEntry } from '../ports/committed-files.ts';
import { readLog } from '../state/load-state.ts';

const EXECUTABLE = 0o111;
/** Changes that another session reported at most this long before the turn: 60 seconds. */
const MAX_SNAPSHOT_MS = 60_000;
const GITLINK = '160000';

/** What counts as a protected place in commits and indexes, and which new content there is accepted. */
export interface AcceptedContents {
  isPlace(path: string, mode: string): boolean;
  accepts(entry: ContentEntry, content: Uint8Array | undefined): Promise<boolean>;
}

interface AcceptedInput {
  opened: WorkspaceState & { at: number };
  /** The workspace now. */
  tree: TreeId;
  named: Named;
  /** The folder of the repository. */
  repository: string;
  /** True for a commit of a nested repository without new content at protected places. */
  acceptsLink: (path: string, commit: string) => Promise<boolean>;
}

/**
 * Content is accepted that the workspace had before the turn, that an edit wrote which the gate allowed in this session,
 * and that an approved question named. An attributes file is accepted as it is in the workspace: only there its filters
 * can be seen.
 */
export async function readAccepted(work: Work, input: AcceptedInput): Promise<AcceptedContents> {
  const { opened, tree, named, repository, acceptsLink } = input;
  const snapshots = await work.snapshots();
  const further = await findNamedPlaces(work, opened);
  const isFurther = (path: string): boolean => further.some((place) => path === place || path.startsWith(`${place}/`));
  let edits: Promise<ReadonlySet<string>> | undefined;
  const isIn = async (state: TreeId, path: string, found: { hash: string; mode: string }): Promise<boolean> => {
    const entry = await snapshots.entry(state, path);
    return entry !== undefined && entry.hash === found.hash && toMode(entry) === found.mode;
  };
  return {
    isPlace(path, mode) {
      const full = joinPath(repository, path);
      return isProtectedEntry(path, mode) || placeOf(path, { isNew: true }) !== undefined || isFurther(full);
    },
    async accepts({ path, mode, blob }, content) {
      const full = joinPath(repository, path);
      if (named.hasPath(full)) return true;
      if (mode === GITLINK) return placeOf(path) === undefined && acceptsLink(full, blob);
      if (!content) return false;
      const hash = work.engine.ids.digest(content);
      if (await isIn(opened.tree, full, { hash, mode })) return true;
      // Such a file is protected only where it is new.
      const isNewOnly = placeOf(path) === undefined && placeOf(path, { isNew: true }) !== undefined;
      if (isNewOnly && (await snapshots.entry(opened.tree, full))) return true;
      if (isScripted(path) && placeOf(path) === undefined) {
        const was = await snapshots.entry(opened.tree, full);
        if (!was) return true;
        const isKnown = was.type === 'file' && snapshots.isStored(was, full);
        if (isKnown && scriptsOf(await snapshots.content(was)) === scriptsOf(content)) return true;
      }
      if (isAttributes(path) && (await isIn(tree, full, { hash, mode }))) return true;
      edits ??= readEdits(work, opened.at);
      return (await edits).has(toEditKey(full, hash, mode));
    },
  };
}

/** True for an entry whose content other programs obey: a protected place, also by a link, and what git itself obeys. */
export function isProtectedEntry(path: string, mode: string): boolean {
  return (
    mode === GITLINK ||
    placeOf(path) !== undefined ||
    isAttributes(path) ||
    isScripted(path) ||
    (mode === '120000' && placesBelow(path).length > 0)
  );
}

function isAttributes(path: string): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes');
}

function isScripted(path: string): boolean {
  return isPackageFile(path) && !/(?:^|\/)node_modules\//.test(path);
}

/** The mode of an entry as Git stores it. */
export function toMode({ type, mode }: TreeEntry): string {
  if (type === 'symlink') return '120000';
  if (type === 'directory') return '040000';
  return (mode & EXECUTABLE) === 0 ? '100644' : '100755';
}

function toEditKey(path: string, hash: string, mode: string): string {
  return `${mode} ${hash} ${path}`;
}

/** Content that edit tools wrote in this session, and those of other sessions in this folder since a time. */
async function readEdits(work: Work, since: number): Promise<Set<string>> {
  const { root } = await work.workspace();
  const events = await readLog(work.engine.store, work.session);
  const others = await work.engine.editsSince(root, since - MAX_SNAPSHOT_MS);
  return toEditKeys([...toOwnEdits(events), ...others]);
}

/** Changes of calls that the gate allowed. */
export function toOwnEdits(events: Iterable<Event>): FileChange[] {
  return [...events].flatMap((event) =>
    event.type === 'tool.finished' && event.outcome !== 'unknown' ? event.changes : [],
  );
}

export function toEditKeys(edits: readonly FileChange[]): Set<string> {
  return new Set(
    edits.flatMap(({ path, after, mode = 0o644 }) =>
      after === null ? [] : [toEditKey(path, after, (mode & EXECUTABLE) === 0 ? '100644' : '100755')],
    ),
  );
}
