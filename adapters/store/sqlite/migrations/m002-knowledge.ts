import type { Migration } from './migration.ts';

/** What is remembered across sessions. Source of truth, not a projection: no log contains all of it. */
export const m002: Migration = {
  name: 'm002-knowledge',
  // The index stores no text itself, and secure-delete removes deleted words from it.
  apply: `
CREATE TABLE knowledge (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL DEFAULT '',   -- absolute real path; '' holds everywhere
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  category TEXT NOT NULL DEFAULT 'general',
  session_id TEXT,                      -- that wrote it last; null: the user
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace, key)
) STRICT;
CREATE INDEX idx_knowledge_category ON knowledge(category);

CREATE VIRTUAL TABLE knowledge_fts USING fts5(
  key, value, category,
  content='knowledge', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
INSERT INTO knowledge_fts(knowledge_fts, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER knowledge_added AFTER INSERT ON knowledge BEGIN
  INSERT INTO knowledge_fts(rowid, key, value, category) VALUES (new.id, new.key, new.value, new.category);
END;
CREATE TRIGGER knowledge_removed AFTER DELETE ON knowledge BEGIN
  INSERT INTO knowledge_fts(knowledge_fts, rowid, key, value, category)
    VALUES ('delete', old.id, old.key, old.value, old.category);
END;
CREATE TRIGGER knowledge_changed AFTER UPDATE ON knowledge BEGIN
  INSERT INTO knowledge_fts(knowledge_fts, rowid, key, value, category)
    VALUES ('delete', old.id, old.key, old.value, old.category);
  INSERT INTO knowledge_fts(rowid, key, value, category) VALUES (new.id, new.key, new.value, new.category);
END;
`,
};
