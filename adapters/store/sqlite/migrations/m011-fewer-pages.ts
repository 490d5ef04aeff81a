import type { Migration } from './migration.ts';

/**
 * An event changes as few pages as it can, since each is written to the log of the database with it: where a session
 * ends stands in `heads` alone, and numbers that nothing refers to after a delete need no table that counts them.
 */
export const m011: Migration = {
  name: 'm011-fewer-pages',
  apply(database) {
    database.exec('ALTER TABLE sessions DROP COLUMN last_seq');
    for (const [table, { columns, indexes }] of Object.entries(COUNTED)) {
      const names = columns.map((column) => /^\w+/.exec(column)![0]).join(', ');
      database.exec(`
CREATE TABLE ${table}_uncounted (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  ${columns.join(',\n  ')}
) STRICT;
INSERT INTO ${table}_uncounted (id, session_id, ${names}) SELECT id, session_id, ${names} FROM ${table};
DROP TABLE ${table};
ALTER TABLE ${table}_uncounted RENAME TO ${table};
${indexes.join(';\n')};
`);
    }
  },
};

/** The tables that had a counter, as they were otherwise: columns but `id` and `session_id`, and their indexes. */
const COUNTED: Readonly<Record<string, { columns: readonly string[]; indexes: readonly string[] }>> = {
  messages: {
    columns: [
      'role TEXT NOT NULL',
      'content TEXT NOT NULL',
      'tool_name TEXT',
      'tool_call_id TEXT',
      'created_at TEXT NOT NULL',
      'origin TEXT NOT NULL',
    ],
    indexes: [
      'CREATE INDEX idx_messages_session ON messages(session_id)',
      "CREATE INDEX idx_messages_prompts ON messages(session_id, id) WHERE origin = 'user'",
    ],
  },
  tool_calls: {
    columns: [
      'tool_name TEXT NOT NULL',
      'input TEXT NOT NULL',
      'output TEXT',
      'success INTEGER',
      'duration_ms INTEGER',
      'created_at TEXT NOT NULL',
      'tool_call_id TEXT NOT NULL',
      'turn INTEGER NOT NULL',
      'outcome TEXT',
    ],
    indexes: ['CREATE INDEX idx_tool_calls_session ON tool_calls(session_id, tool_call_id)'],
  },
  token_usage: {
    columns: [
      'model TEXT NOT NULL',
      'input_tokens INTEGER NOT NULL',
      'output_tokens INTEGER NOT NULL',
      'created_at TEXT NOT NULL',
      'cache_read_tokens INTEGER NOT NULL',
      'cache_write_tokens INTEGER NOT NULL',
      'cost_usd REAL',
      'purpose TEXT NOT NULL',
      'turn INTEGER NOT NULL',
      "outcome TEXT NOT NULL DEFAULT 'ok'",
    ],
    indexes: ['CREATE INDEX idx_token_usage_session ON token_usage(session_id)'],
  },
};
