import { z } from 'zod';
import type { Database } from './database.ts';
import { gitStateSchema, type GitState } from './git/git-state.ts';
import { now, type Write } from './objects/object-writer.ts';
import type { Uncovered } from './scan/scan.ts';

/** A state is marked as used again when the mark is older than this many seconds. */
const FRESH_S = 600;
/** Enough to see what kind of thing is left out; a folder of a million sockets is not a list for people. */
const MAX_UNCOVERED = 1_000;

const uncoveredSchema = z.array(
  z.object({
    path: z.string(),
    why: z.enum(['unreadable', 'special file', 'name is not UTF-8', 'other filesystem', 'path too long']),
  }),
);

/** What stands beside a state. */
export interface StateMetadata {
  git: readonly GitState[];
  uncovered: readonly Uncovered[];
}

interface StateRow {
  at: number;
  git: string;
  uncovered: string;
}

/**
 * What writes a state down, as the workspace's last one when it is that; undefined when that is written already.
 * Without `beside` what is known of it stays.
 */
export function toStateWrite(
  db: Database,
  tree: Buffer,
  { beside, isLast }: { beside?: StateMetadata; isLast: boolean },
): Write | undefined {
  const old = db.get<StateRow>('SELECT at, git, uncovered FROM states WHERE tree = ?', tree);
  const git = beside ? JSON.stringify(beside.git) : (old?.git ?? '[]');
  const uncovered = beside
    ? JSON.stringify(beside.uncovered.toSorted(hiddenFirst).slice(0, MAX_UNCOVERED))
    : (old?.uncovered ?? '[]');
  const isKnown = old?.git === git && old.uncovered === uncovered && old.at > now() - FRESH_S;
  if (isKnown && (!isLast || lastState(db)?.equals(tree))) return undefined;
  return () => {
    db.run('INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)', tree, now(), git, uncovered);
    if (isLast) db.run("INSERT OR REPLACE INTO meta VALUES ('last', ?)", tree);
  };
}

/** Names that begin with a dot may be of files that programs obey. */
function hiddenFirst(a: Uncovered, b: Uncovered): number {
  const rank = ({ path }: Uncovered): number => (/(?:^|\/)\./.test(path) ? 0 : 1);
  return rank(a) - rank(b);
}

export function hasState(db: Database, tree: Buffer): boolean {
  return db.get('SELECT 1 FROM states WHERE tree = ?', tree) !== undefined;
}

export function lastState(db: Database): Buffer | undefined {
  const row = db.get<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = 'last'");
  return row && Buffer.from(row.value);
}

export function readMetadata(db: Database, tree: Buffer): { git: GitState[]; uncovered: Uncovered[] } {
  const row = db.get<StateRow>('SELECT at, git, uncovered FROM states WHERE tree = ?', tree);
  if (!row) return { git: [], uncovered: [] };
  return {
    git: z.array(gitStateSchema).parse(JSON.parse(row.git)),
    uncovered: uncoveredSchema.parse(JSON.parse(row.uncovered)),
  };
}
