import type { Clock, Knowledge, KnowledgeEntry, KnowledgeFilter, KnowledgeScope } from '@klaus/core/agent';
import {
  checkDraft,
  KNOWLEDGE_COLUMNS,
  type KnowledgeRow,
  MAX_ENTRIES,
  toKnowledgeEntry,
  toKnowledgeWords,
  tooManyEntries,
} from '../../shared/knowledge-entry.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { toIso } from '../../shared/iso-time.ts';

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
      `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge WHERE key = ?3 AND ${IN_SCOPE} ORDER BY workspace DESC LIMIT 1`,
      workspace,
      scope ?? null,
      key.trim(),
    );
    return row && toKnowledgeEntry(row);
  };
  return {
    get: async (key, scope) => get(key, scope),
    count: async (filter) => count(filter),
    async set(draft) {
      const { key, value, category } = checkDraft(draft);
      const { scope = 'project', session = null } = draft;
      const now = toIso(clock.now());
      return commits.run(() => {
        if (!get(key, scope) && count({ scope }) >= MAX_ENTRIES) {
          throw tooManyEntries(scope);
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
          `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge WHERE ${IN_SCOPE} AND (?3 IS NULL OR category = ?3)
           ORDER BY workspace = '', category <> 'pinned', updated_at DESC, id DESC LIMIT ?4`,
          workspace,
          scope ?? null,
          category ?? null,
          limit,
        )
        .map(toKnowledgeEntry),
    async search(query, { scope, limit = 10 } = {}) {
      const words = toKnowledgeWords(query);
      if (words.length === 0) return [];
      // A quoted word is never an operator of the query language.
      const terms = words.map((word) => `"${word}"*`);
      return database
        .all<KnowledgeRow>(
          `SELECT ${KNOWLEDGE_COLUMNS} FROM knowledge_fts JOIN knowledge ON knowledge.id = knowledge_fts.rowid
           WHERE knowledge_fts MATCH ?3 AND ${IN_SCOPE}
           ORDER BY bm25(knowledge_fts, 4.0, 1.0, 2.0), updated_at DESC LIMIT ?4`,
          workspace,
          scope ?? null,
          terms.join(' OR '),
          limit,
        )
        .map(toKnowledgeEntry);
    },
    remove: (key, scope) =>
      commits.run(() => {
        const sql = 'DELETE FROM knowledge WHERE workspace = ? AND key = ?';
        return database.run(sql, toStoredWorkspace(scope), key.trim()).changes > 0;
      }),
  };
}
