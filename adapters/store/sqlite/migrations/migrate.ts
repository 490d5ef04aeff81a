import type { Database } from '../database.ts';
import { newer } from '../store-error.ts';
import { m001 } from './m001-initial.ts';
import { m003 } from './m003-host-chain.ts';
import { m011 } from './m011-fewer-pages.ts';
import { m014 } from './m014-instances.ts';
import { m015 } from './m015-attention.ts';
import { m016 } from './m016-listing.ts';
import { m017 } from './m017-host-types.ts';
import { m018 } from './m018-archived.ts';
import { m019 } from './m019-moves.ts';
import { m020 } from './m020-held-cost.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  m001,
  // What is remembered across sessions. Source of truth, not a projection: no log contains all of it. The index stores no
  // text itself, and secure-delete removes deleted words from it.
  {
    name: 'm002-knowledge',
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
  },
  m003,
  // Approvals that are valid for every session of one agent in one workspace. They remain valid after their session.
  {
    name: 'm004-remembered',
    apply: `
CREATE TABLE remembered (
  approval TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  workspace TEXT NOT NULL,              -- absolute real path
  agent TEXT NOT NULL,
  record TEXT NOT NULL,                 -- JSON
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX idx_remembered_workspace ON remembered(workspace, agent);
`,
  },
  // The outcome of each charged request, which distinguishes abandoned requests from answered ones. Rows are in the
  // order of their events; requests without cost have no row.
  {
    name: 'm005-usage-outcome',
    apply: `
ALTER TABLE token_usage ADD COLUMN outcome TEXT NOT NULL DEFAULT 'ok';
UPDATE token_usage SET outcome = paired.outcome FROM (
  SELECT usages.id, attempts.outcome FROM (
    SELECT id, session_id, row_number() OVER (PARTITION BY session_id ORDER BY id) AS number FROM token_usage
  ) AS usages JOIN (
    SELECT session_id, record ->> '$.outcome' AS outcome,
      row_number() OVER (PARTITION BY session_id ORDER BY seq) AS number
    FROM events WHERE type = 'model.attempted' AND (coalesce(record ->> '$.usd', 0) > 0
      OR (record ->> '$.usage.input') + (record ->> '$.usage.output')
        + (record ->> '$.usage.cacheRead') + (record ->> '$.usage.cacheWrite') > 0)
  ) AS attempts USING (session_id, number)
) AS paired WHERE paired.id = token_usage.id`,
  },
  // Drops the index over `updated_at`: every event changed it, and with it the pages of two indexes. Sessions are few
  // enough to be sorted when they are listed.
  {
    name: 'm006-session-recency',
    apply: `DROP INDEX IF EXISTS idx_sessions_updated; DROP INDEX IF EXISTS idx_sessions_workspace;
CREATE INDEX idx_sessions_workspace ON sessions(workspace_dir)`,
  },
  // States folded from the log, one a session. Can be dropped at any time.
  {
    name: 'm007-checkpoints',
    apply: `
CREATE TABLE checkpoints (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL,       -- of the last event in it
  hash TEXT NOT NULL,         -- of that event's record
  version TEXT NOT NULL,      -- of the fold that made it
  digest TEXT NOT NULL,       -- SHA-256 of state
  state BLOB NOT NULL         -- as node:v8 serialises it
) STRICT;
`,
  },
  // A full-text index over sessions, for `recall`. It is updated by a search, not by an append, which therefore costs
  // nothing more. It stores no text itself: chunks contain its position in the log and the blobs. Can be dropped at any
  // time.
  {
    name: 'm008-recall',
    apply: `
CREATE TABLE recall_heads (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL              -- of the last indexed record
) STRICT;

CREATE TABLE recall_documents (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  title TEXT NOT NULL,
  length INTEGER NOT NULL,          -- characters; of a large one bytes
  large INTEGER NOT NULL,           -- 1: not in the index, scanned by a search
  UNIQUE (session_id, seq)
) STRICT;

CREATE TABLE recall_chunks (
  id INTEGER PRIMARY KEY,           -- rowid in recall_fts
  document INTEGER NOT NULL REFERENCES recall_documents(id) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_recall_chunks_document ON recall_chunks(document);

CREATE VIRTUAL TABLE recall_fts USING fts5(
  session, text, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
`,
  },
  // A full-text index over the messages of all sessions. It is updated by a search, not by an append, which therefore
  // costs nothing more. It stores no text itself and can be dropped at any time.
  {
    name: 'm009-message-search',
    apply: `
CREATE VIRTUAL TABLE messages_fts USING fts5(
  content, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
`,
  },
  // Every list of sessions contains the first prompt: the index finds it without reading other messages.
  {
    name: 'm010-first-prompt',
    apply: "CREATE INDEX idx_messages_prompts ON messages(session_id, id) WHERE origin = 'user'",
  },
  m011,
  // Notifications for another program that are not delivered yet. Each is written with its event.
  {
    name: 'm012-outbox',
    apply: `
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,             -- of the event
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,      -- Unix milliseconds
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,          -- Unix milliseconds before which it is not tried again
  UNIQUE (session_id, seq)
) STRICT;
`,
  },
  // `input_tokens` now contains the complete prompt; the cached parts are also in columns of their own.
  {
    name: 'm013-whole-input',
    apply: `
UPDATE token_usage SET input_tokens = input_tokens + cache_read_tokens + cache_write_tokens
  WHERE cache_read_tokens + cache_write_tokens > 0;
UPDATE sessions SET input_tokens = input_tokens + cache_read_tokens + cache_write_tokens
  WHERE cache_read_tokens + cache_write_tokens > 0;
`,
  },
  m014,
  m015,
  m016,
  m017,
  m018,
  m019,
  m020,
];

/**
 * Brings the schema up to date, in one transaction. Reads one small table when there is nothing to do.
 *
 * @throws KlausError `store.corrupt` when the database has a step that this program does not know.
 */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  if (pending(database, migrations).length === 0) return;
  database.transaction(() => {
    // Another process may have been faster: what is pending is decided under the write lock.
    for (const migration of pending(database, migrations)) {
      if (typeof migration.apply === 'string') database.exec(migration.apply);
      else migration.apply(database);
      database.run(
        `INSERT INTO migrations (name, applied_at) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ'))`,
        migration.name,
      );
    }
  });
}

/** Makes the table that `migrate` keeps its names in. */
export function createMigrationsTable(database: Database): void {
  database.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, applied_at TEXT NOT NULL) STRICT');
}

function pending(database: Database, migrations: readonly Migration[]): Migration[] {
  const applied = new Set(listApplied(database));
  refuseUnknown(database.file, applied, migrations);
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** The names of the applied steps, in order. */
export function listApplied(database: Database): string[] {
  return database.all<{ name: string }>('SELECT name FROM migrations ORDER BY rowid').map((row) => row.name);
}

/** @throws KlausError `store.corrupt` when one of the applied steps is not known. */
export function refuseUnknown(
  file: string,
  applied: Iterable<string>,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const known = new Set(migrations.map((migration) => migration.name));
  for (const name of applied) if (!known.has(name)) throw newer(file, `its schema has the step ${name}`);
}
