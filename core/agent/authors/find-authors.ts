import type { OtherChange, TreeChange, TreeEntry } from '../../protocol/index.ts';
import { isWithin, type Activity, type KnownWrite, type Window } from './activity.ts';

/** Who changed a path: the session alone, or someone else, perhaps too. */
export type Author = { by: 'own' } | Pick<OtherChange, 'by' | 'session'>;

export interface AuthorFacts {
  /** The activity of the session and of the agents that it started. */
  own: Activity;
  /** That of other sessions in the same folders, by id. */
  others: ReadonlyMap<string, Activity>;
  /** An absolute path from one of a state. */
  toAbsolute: (path: string) => string;
  /** See `Snapshots.changeTimes`. */
  times: ReadonlyMap<string, number | undefined>;
  /** See `hasEditorTrace`. */
  isEdited: (row: TreeChange) => Promise<boolean>;
  /** True if programs of the user's hooks run after edits, which may change the same files. */
  hasHooks: boolean;
}

const OWN: Author = { by: 'own' };
const UNCLEAR: Author = { by: 'unclear' };
const OUTSIDE: Author = { by: 'outside' };

/** The authors of the changes between the state before the effects of a turn and the one after, by path. */
export async function findAuthors(rows: readonly TreeChange[], facts: AuthorFacts): Promise<Map<string, Author>> {
  const authors = new Map<string, Author>();
  const folders = rows.filter(isFolder);
  const contents = new Map<string, Author[]>(folders.map(({ path }) => [path, []]));
  const add = (path: string, author: Author): void => {
    authors.set(path, author);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      contents.get(path.slice(0, at))?.push(author);
  };
  for (const row of rows) if (!isFolder(row)) add(row.path, await findAuthor(row, facts));
  // From the innermost: the author of a new or deleted folder is that of its content.
  for (const row of folders.toSorted((a, b) => b.path.length - a.path.length))
    add(row.path, ofContent(row, contents.get(row.path)!) ?? (await ofWindow(row, facts)));
  return authors;
}

/** A folder that was created, deleted, or has another mode. */
function isFolder({ before, after }: TreeChange): boolean {
  return (before ?? after)?.type === 'directory' && (after ?? before)?.type === 'directory';
}

/** A created folder is the session's own if everything in it is; a deleted one, if anything in it was. */
function ofContent({ before, after }: TreeChange, found: readonly Author[]): Author | undefined {
  if ((before && after) || found.length === 0) return undefined;
  const others = found.filter(({ by }) => by !== 'own');
  if (after === null) return others.length < found.length ? OWN : others[0];
  if (others.length === 0) return OWN;
  return others.find(({ by }) => by !== 'unclear') ?? UNCLEAR;
}

async function findAuthor(row: TreeChange, facts: AuthorFacts): Promise<Author> {
  const path = facts.toAbsolute(row.path);
  const content = toContent(row.after);
  const mine = facts.own.writes.get(path) ?? [];
  const isMine = mine.some(({ isDone }) => isDone);
  if (content !== undefined && mine.some(({ after }) => after === content)) {
    return isOnOther(row, mine, facts) ? UNCLEAR : OWN;
  }
  for (const [session, { writes }] of facts.others) {
    const isTheirs = content !== undefined && writes.get(path)?.some(({ after }) => after === content) === true;
    if (isTheirs) return isMine ? UNCLEAR : { by: 'session', session };
  }
  const author = await ofWindow(row, facts);
  if (author.by === 'own') {
    // A command worked on what another session had written.
    const isWrittenOver = [...facts.others.values()].some(({ writes, touched }) => {
      const last = writes.get(path)?.at(-1);
      return touched.has(path) || (last !== undefined && last.after !== toContent(row.before));
    });
    return isWrittenOver ? UNCLEAR : OWN;
  }
  return isMine ? UNCLEAR : author;
}

/** True if the first edit of the session did not find the content that the path had before: others had written it. */
function isOnOther({ before }: TreeChange, mine: readonly KnownWrite[], { own }: AuthorFacts): boolean {
  const first = mine.find(({ isDone }) => isDone);
  const content = toContent(before);
  if (!first || content === undefined || first.before === content) return false;
  return own.commands.every(({ isQuiet }) => isQuiet);
}

/** The hash of a file; null: there is none; undefined for an entry that no tool writes. */
function toContent(entry: TreeEntry | null): string | null | undefined {
  if (entry === null) return null;
  return entry.type === 'file' ? entry.hash : undefined;
}

/** The author by the time of the change, and by the commands that ran then. */
async function ofWindow(row: TreeChange, facts: AuthorFacts): Promise<Author> {
  const { own, others } = facts;
  const at = facts.times.get(row.path);
  // The log names the files of an edit, but not the folders and links that a reviewed command made.
  const isFile = (row.after ?? row.before)?.type === 'file';
  const windows = facts.hasHooks || !isFile ? [...own.commands, ...own.edits] : own.commands;
  const ran = at === undefined ? windows : windows.filter((window) => isWithin(at, window));
  const running = [...others].filter(([, { commands }]) => mayHaveWritten(commands, at));
  if (ran.length === 0) {
    // Only the last change in its folder is known of a deleted path.
    if (row.after === null && mayBeEarlier(own, at)) return ofEarlier(facts, at);
    const [first] = running;
    return first ? { by: 'session', session: first[0] } : OUTSIDE;
  }
  if (ran.every(({ isQuiet }) => isQuiet)) return running[0] ? { by: 'session', session: running[0][0] } : UNCLEAR;
  if (running.length > 0) return UNCLEAR;
  return (await facts.isEdited(row)) ? UNCLEAR : OWN;
}

/** True if a command ran at a time, or if the time is not known, and it may have changed files. */
function mayHaveWritten(commands: readonly Window[], at: number | undefined): boolean {
  return commands.some((window) => !window.isQuiet && (at === undefined || isWithin(at, window)));
}

function mayBeEarlier({ commands }: Activity, at: number | undefined): boolean {
  return commands.some(({ from, isQuiet }) => !isQuiet && (at === undefined || from <= at));
}

/** A deletion by an earlier command, if the session itself changed the folder later; else it is unclear. */
function ofEarlier({ own }: AuthorFacts, at: number | undefined): Author {
  const isEdit = at !== undefined && own.edits.some((window) => isWithin(at, window));
  return isEdit ? OWN : UNCLEAR;
}
