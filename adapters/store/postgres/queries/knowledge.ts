import type { Clock, Knowledge, KnowledgeEntry, KnowledgeFilter, KnowledgeScope } from '@klaus/core/agent';
import { toIso } from '../../shared/iso-time.ts';
import {
  checkDraft,
  KNOWLEDGE_COLUMNS,
  type KnowledgeRow,
  MAX_ENTRIES,
  toKnowledgeEntry,
  toKnowledgeWords,
  tooManyEntries,
} from '../../shared/knowledge-entry.ts';
import type { Database, Sql } from '../database.ts';
import { toSearchText, toTextQuery } from '../recall/search-text.ts';
import { Conditions } from './conditions.ts';

/** Class of the advisory locks for the entries of one scope. */
const KNOWLEDGE_LOCK = 0x6b6c;

/** What is known about a workspace, given by its absolute real path. */
export function createKnowledge(
  database: Database,
  { workspace, clock }: { workspace: string; clock: Pick<Clock, 'now'> },
): Knowledge {
  const toStoredWorkspace = (scope: KnowledgeScope): string => (scope === 'global' ? '' : workspace);
  const inScope = (scope: KnowledgeScope | undefined): Conditions => {
    const where = new Conditions();
    const workspaces = scope === undefined ? [workspace, ''] : [toStoredWorkspace(scope)];
    where.add((place) => `workspace = ANY (${place(workspaces)}::text[])`);
    return where;
  };
  const get = async (sql: Sql, key: string, scope?: KnowledgeScope): Promise<KnowledgeEntry | undefined> => {
    const where = inScope(scope);
    where.add((place) => `key = ${place(key.trim())}`);
    const text = `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge ${where.text()} ORDER BY workspace DESC LIMIT 1`;
    const row = await sql.get<KnowledgeRow>(text, where.values);
    return row && toKnowledgeEntry(row);
  };
  const count = async (sql: Sql, { category, scope }: Omit<KnowledgeFilter, 'limit'> = {}): Promise<number> => {
    const where = inScope(scope);
    if (category !== undefined) where.add((place) => `category = ${place(category)}`);
    const text = `SELECT count(*) AS count FROM knowledge ${where.text()}`;
    return (await sql.get<{ count: number }>(text, where.values))!.count;
  };
  return {
    get: (key, scope) => get(database, key, scope),
    count: (filter) => count(database, filter),
    async set(draft) {
      const { key, value, category } = checkDraft(draft);
      const { scope = 'project', session = null } = draft;
      const stored = toStoredWorkspace(scope);
      const now = toIso(clock.now());
      return database.transaction(async (sql) => {
        // The number of entries is limited, so of several processes one at a time adds one.
        await sql.all('SELECT pg_advisory_xact_lock($1, hashtext($2))', [KNOWLEDGE_LOCK, stored]);
        const known = await get(sql, key, scope);
        if (!known && (await count(sql, { scope })) >= MAX_ENTRIES) throw tooManyEntries(scope);
        const named = category ?? known?.category ?? 'general';
        await sql.run(
          `INSERT INTO knowledge AS entry (workspace, key, value, category, session_id, created_at, updated_at, words)
            VALUES ($1, $2, $3, $4, $5, $6, $6, ${NOTE_WORDS})
            ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value, category = excluded.category,
              session_id = excluded.session_id, updated_at = excluded.updated_at, words = excluded.words`,
          [stored, key, value, named, session, now, ...toNoteTexts({ key, value, category: named })],
        );
        return (await get(sql, key, scope))!;
      });
    },
    async list({ category, scope, limit = 50 } = {}) {
      const where = inScope(scope);
      if (category !== undefined) where.add((place) => `category = ${place(category)}`);
      const text = `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge ${where.text()}
        ORDER BY workspace = '', category <> 'pinned', updated_at DESC, id DESC`;
      const rows = await database.all<KnowledgeRow>(`${text} LIMIT ${where.place(limit)}`, where.values);
      return rows.map(toKnowledgeEntry);
    },
    async search(query, { scope, limit = 10 } = {}) {
      const words = toTextQuery(toKnowledgeWords(query), '|', { prefix: true });
      if (words === '') return [];
      const where = inScope(scope);
      where.add((place) => `words @@ to_tsquery('simple', ${place(words)})`);
      const rank = `ts_rank('{0, 0.25, 0.5, 1}', words, to_tsquery('simple', ${where.place(words)}), 1)`;
      const text = `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge ${where.text()} ORDER BY ${rank} DESC, updated_at DESC`;
      const rows = await database.all<KnowledgeRow>(`${text} LIMIT ${where.place(limit)}`, where.values);
      return rows.map(toKnowledgeEntry);
    },
    async remove(key, scope) {
      const text = 'DELETE FROM knowledge WHERE workspace = $1 AND key = $2';
      return (await database.run(text, [toStoredWorkspace(scope), key.trim()])) > 0;
    },
  };
}

/**
 * The key has the highest weight, and the category a higher one than the value. Words have no stems here. `$7` to `$9`
 * are {@link toNoteTexts}.
 */
export const NOTE_WORDS = `setweight(to_tsvector('simple', $7), 'A') || setweight(to_tsvector('simple', $8), 'C')
  || setweight(to_tsvector('simple', $9), 'B')`;

export function toNoteTexts({ key, value, category }: { key: string; value: string; category: string }): string[] {
  return [key, value, category].map(toSearchText);
}
