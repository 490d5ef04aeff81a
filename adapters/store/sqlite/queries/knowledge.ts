import {
  KNOWLEDGE_LIMITS,
  type Clock,
  type Knowledge,
  type KnowledgeEntry,
  type KnowledgeFilter,
  type KnowledgeScope,
} from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { toIso } from '../iso-time.ts';

/** Entries of one scope. */
const MAX_ENTRIES = 1_000;
/** Characters of a query that are used. */
const MAX_QUERY = 10_000;
/** Words of a query that are used. */
const MAX_WORDS = 20;

type KnowledgeRow = Omit<KnowledgeEntry, 'scope' | 'createdAt' | 'updatedAt'> &
  Record<'workspace' | 'createdAt' | 'updatedAt', string>;

const COLUMNS = `workspace, knowledge.key, knowledge.value, knowledge.category, session_id AS session,
  created_at AS createdAt, updated_at AS updatedAt`;

/** `?1` is the workspace; `?2` a scope or null. */
const IN_SCOPE = `((workspace = ?1 AND ?2 IS NOT 'global') OR (workspace = '' AND ?2 IS NOT 'project'))`;

/** What is known about a workspace, given by its absolute real path. */
export function createKnowledge(
  database: Database,
  options: { workspace: string; commits: GroupCommit; clock: Pick<Clock, 'now'> },
): Knowledge {
  const { workspace, commits, clock } = options;
  const toStoredWorkspace = (scope: KnowledgeScope): string => (scope === 'global' ? '' : workspace);
  const count = ({ category, scope }: Omit<KnowledgeFilter, 'limit'> = {}): number =>
    database.get<{ count: number }>(
      `SELECT count(*) AS count FROM knowledge WHERE ${IN_SCOPE} AND (?3 IS NULL OR category = ?3)`,
      workspace,
      scope ?? null,
      category ?? null,
    )?.count ?? 0;
  const get = (key: string, scope?: KnowledgeScope): KnowledgeEntry | undefined => {
    const row = database.get<KnowledgeRow>(
      `SELECT ${COLUMNS} FROM knowledge WHERE key = ?3 AND ${IN_SCOPE} ORDER BY workspace DESC LIMIT 1`,
      workspace,
      scope ?? null,
      key.trim(),
    );
    return row && fromRow(row);
  };
  return {
    get: async (key, scope) => get(key, scope),
    count: async (filter) => count(filter),
    async set(draft) {
      const key = checkText('key', draft.key);
      const value = checkText('value', draft.value);
      const category = draft.category === undefined ? null : checkText('category', draft.category);
      const { scope = 'project', session = null } = draft;
      const now = toIso(clock.now());
      return commits.run(() => {
        if (!get(key, scope) && count({ scope }) >= MAX_ENTRIES) {
          throw new KlausError('usage', `There are ${MAX_ENTRIES} ${scope} entries already.`, {
            hint: 'Delete some with klaus memory delete.',
          });
        }
        database.run(
          `INSERT INTO knowledge (workspace, key, value, category, session_id, created_at, updated_at)
             VALUES (?1, ?2, ?3, coalesce(?4, 'general'), ?5, ?6, ?6)
             ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value,
               category = coalesce(?4, category), session_id = excluded.session_id, updated_at = excluded.updated_at`,
          toStoredWorkspace(scope),
          key,
          value,
          category,
          session,
          now,
        );
        return get(key, scope)!;
      });
    },
    list: async ({ category, scope, limit = 50 } = {}) =>
      database
        .all<KnowledgeRow>(
          `SELECT ${COLUMNS} FROM knowledge WHERE ${IN_SCOPE} AND (?3 IS NULL OR category = ?3)
           ORDER BY workspace = '', category <> 'pinned', updated_at DESC, id DESC LIMIT ?4`,
          workspace,
          scope ?? null,
          category ?? null,
          limit,
        )
        .map(fromRow),
    async search(query, { scope, limit = 10 } = {}) {
      const words =
        query
          .slice(0, MAX_QUERY)
          .toWellFormed()
          .match(/[\p{L}\p{N}]+/gu) ?? [];
      if (words.length === 0) return [];
      // A quoted word is never an operator of the query language.
      const terms = words.slice(0, MAX_WORDS).map((word) => `"${word.slice(0, 100)}"*`);
      return database
        .all<KnowledgeRow>(
          `SELECT ${COLUMNS} FROM knowledge_fts JOIN knowledge ON knowledge.id = knowledge_fts.rowid
           WHERE knowledge_fts MATCH ?3 AND ${IN_SCOPE}
           ORDER BY bm25(knowledge_fts, 4.0, 1.0, 2.0), updated_at DESC LIMIT ?4`,
          workspace,
          scope ?? null,
          terms.join(' OR '),
          limit,
        )
        .map(fromRow);
    },
    remove: (key, scope) =>
      commits.run(() => {
        const sql = 'DELETE FROM knowledge WHERE workspace = ? AND key = ?';
        return database.run(sql, toStoredWorkspace(scope), key.trim()).changes > 0;
      }),
  };
}

function fromRow(row: KnowledgeRow): KnowledgeEntry {
  return {
    key: row.key,
    value: row.value,
    category: row.category,
    scope: row.workspace === '' ? 'global' : 'project',
    session: row.session,
    createdAt: Date.parse(row.createdAt),
    updatedAt: Date.parse(row.updatedAt),
  };
}

function checkText(what: keyof typeof KNOWLEDGE_LIMITS, given: string): string {
  const text = given.toWellFormed().trim();
  const refuse = (why: string) => new KlausError('usage', `The ${what} ${why}.`);
  if (text === '') throw refuse('is empty');
  if (text.length > KNOWLEDGE_LIMITS[what])
    throw refuse(`has ${text.length} characters; at most ${KNOWLEDGE_LIMITS[what]} are kept`);
  if (text.includes('\0')) throw refuse('contains a null byte');
  if (what !== 'value' && /[\n\r]/.test(text)) throw refuse('must be one line');
  return text;
}
