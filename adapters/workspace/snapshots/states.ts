import { z } from 'zod';
import type { Database } from './database.ts';
import { gitStateSchema, type GitState } from './git/git-state.ts';
import { now, type Write } from './objects/object-writer.ts';

/** Age in seconds after which the last use of a state is updated. */
const FRESH_S = 600;
const MAX_UNCOVERED = 1_000;

export const uncoveredSchema = z.object({
  path: z.string(),
  why: z.enum([
    'unreadable',
    'special file',
    'name is not UTF-8',
    'other filesystem',
    'path too long',
    'over the limit',
  ]),
});
/** A path that a snapshot does not contain. */
export type Uncovered = z.infer<typeof uncoveredSchema>;

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
 * The write that stores a state, and marks it as the workspace's last one if it is; undefined when it is stored already.
 * Without `metadata` the stored metadata is kept.
 */
export function toStateWrite(
  db: Database,
  tree: Buffer,
  { metadata, isLast }: { metadata?: StateMetadata; isLast: boolean },
): Write | undefined {
  const old = db.get<StateRow>('SELECT at, git, uncovered FROM states WHERE tree = ?', tree);
  const git = metadata ? JSON.stringify(metadata.git) : (old?.git ?? '[]');
  const uncovered = metadata
    ? JSON.stringify(metadata.uncovered.toSorted(hiddenFirst).slice(0, MAX_UNCOVERED))
    : (old?.uncovered ?? '[]');
  const isKnown = old?.git === git && old.uncovered === uncovered && old.at > now() - FRESH_S;
  if (isKnown && (!isLast || lastState(db)?.equals(tree))) return undefined;
  return () => {
    db.run('INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)', tree, now(), git, uncovered);
    if (isLast) db.run("INSERT OR REPLACE INTO meta VALUES ('last', ?)", tree);
  };
}

/** Sorts hidden files first, because they may be configuration. */
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
    uncovered: z.array(uncoveredSchema).parse(JSON.parse(row.uncovered)),
  };
}
