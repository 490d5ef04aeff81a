import type { Migration } from './migration.ts';

/**
 * `events` is the source of truth, `heads` contains the end and the fence of each chain, and `inbox` the commands. All
 * other tables are projections and can be rebuilt from `events`.
 */
export const m001: Migration = {
  name: 'm001-initial',
  apply: `
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  record TEXT NOT NULL,       -- the exact JSON text that the next record's prev is the hash of
  UNIQUE (session_id, seq)
) STRICT;

CREATE TABLE heads (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL,       -- of the last record, 0 when there is none
  hash TEXT NOT NULL,         -- of the last record
  fence INTEGER NOT NULL      -- raised by every claim
) STRICT;

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  command TEXT,               -- JSON; dropped when consumed, while the id stays known
  received_at TEXT NOT NULL,
  consumed_seq INTEGER,       -- last seq of the session once consumed
  UNIQUE (session_id, command_id)
) STRICT;
CREATE INDEX idx_inbox_waiting ON inbox(session_id, id) WHERE consumed_seq IS NULL;

CREATE TABLE blob_refs (
  session_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (session_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_blob_refs_hash ON blob_refs(hash);

CREATE TABLE projects (
  hash TEXT PRIMARY KEY NOT NULL,  -- first 24 characters of the SHA-256 of root
  root TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  workspace_dir TEXT NOT NULL,
  summary TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  agent_type TEXT NOT NULL DEFAULT 'klaus',
  parent_id TEXT,
  status TEXT NOT NULL DEFAULT 'idle',  -- idle, running, waiting, closed
  title TEXT,
  model TEXT,
  mode TEXT,
  sandbox TEXT,
  outcome TEXT,                         -- of the last run
  outcome_reason TEXT,
  project_hash TEXT REFERENCES projects(hash),
  turns INTEGER NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL DEFAULT 0,              -- null as soon as one price is not known
  last_seq INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX idx_sessions_updated ON sessions(updated_at);
CREATE INDEX idx_sessions_workspace ON sessions(workspace_dir, updated_at);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  role TEXT NOT NULL,                   -- user, assistant, tool
  content TEXT NOT NULL,
  tool_name TEXT,
  tool_call_id TEXT,
  created_at TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;
CREATE INDEX idx_messages_session ON messages(session_id);

CREATE TABLE tool_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  tool_name TEXT NOT NULL,
  input TEXT NOT NULL,                  -- JSON
  output TEXT,
  success INTEGER,
  duration_ms INTEGER,
  created_at TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  outcome TEXT                          -- ok, error, denied, cancelled, unknown
) STRICT;
CREATE INDEX idx_tool_calls_session ON tool_calls(session_id, tool_call_id);

CREATE TABLE token_usage (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_usd REAL,
  purpose TEXT NOT NULL,
  turn INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_token_usage_session ON token_usage(session_id);

CREATE TABLE approvals (
  id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,                   -- call, limit
  title TEXT NOT NULL,
  reason TEXT NOT NULL,
  tool_name TEXT,
  diff TEXT,
  command TEXT,
  limit_name TEXT,
  offer REAL,
  created_at TEXT NOT NULL,
  expires_at INTEGER NOT NULL,          -- Unix milliseconds
  answer TEXT,                          -- null while open
  answered_by TEXT,
  note TEXT,
  answered_at TEXT,
  PRIMARY KEY (id, session_id)
) STRICT;
CREATE INDEX idx_approvals_session ON approvals(session_id);
CREATE INDEX idx_approvals_open ON approvals(created_at) WHERE answer IS NULL;
`,
};
