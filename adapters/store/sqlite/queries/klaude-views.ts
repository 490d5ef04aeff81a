/** A status of Klaus in the words of the klaude database. */
const STATUS = `CASE WHEN s.status IN ('running', 'waiting') THEN 'running' WHEN s.status = 'closed' THEN 'done'
  WHEN s.outcome IS NULL THEN 'active' WHEN s.outcome = 'done' THEN 'done'
  WHEN s.outcome = 'cancelled' THEN 'interrupted' ELSE 'failed' END`;

/** Unix milliseconds as ISO 8601 in UTC. */
const toIso = (ms: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;

/** The columns of each table of the klaude database, in its order; tables before those that refer to them. */
export const KLAUDE_TABLES = {
  projects:
    'id INTEGER PRIMARY KEY, root_path TEXT NOT NULL UNIQUE, project_hash TEXT NOT NULL UNIQUE, created_at DATETIME NOT NULL',
  instances: `instance_id TEXT PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id), pid INTEGER NOT NULL,
    tty TEXT, started_at DATETIME NOT NULL, ended_at DATETIME, exit_code INTEGER, metadata_json TEXT`,
  sessions: `id TEXT PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id),
    parent_id TEXT REFERENCES sessions(id), agent_type TEXT NOT NULL,
    instance_id TEXT REFERENCES instances(instance_id), title TEXT, prompt TEXT, status TEXT NOT NULL,
    created_at DATETIME NOT NULL, updated_at DATETIME, ended_at DATETIME, last_claude_session_id TEXT,
    last_transcript_path TEXT, current_process_pid INTEGER, metadata_json TEXT`,
  claude_session_links: `id INTEGER PRIMARY KEY, klaude_session_id TEXT NOT NULL REFERENCES sessions(id),
    claude_session_id TEXT NOT NULL UNIQUE, transcript_path TEXT, source TEXT, started_at DATETIME NOT NULL,
    ended_at DATETIME`,
  runtime_process: `id INTEGER PRIMARY KEY, klaude_session_id TEXT NOT NULL REFERENCES sessions(id),
    pid INTEGER NOT NULL, kind TEXT NOT NULL, started_at DATETIME NOT NULL, exited_at DATETIME, exit_code INTEGER,
    is_current INTEGER NOT NULL`,
  events: `id INTEGER PRIMARY KEY, project_id INTEGER REFERENCES projects(id),
    klaude_session_id TEXT REFERENCES sessions(id), kind TEXT NOT NULL, payload_json TEXT, created_at DATETIME NOT NULL`,
} as const;

/**
 * Statements that create temporary views with the tables and columns of the klaude database. A temporary view precedes a
 * table of the same name, so that `sessions` is then the view.
 *
 * @param from Schema with the tables of Klaus.
 */
export function toKlaudeViews(from: 'main' | 'klaus'): string {
  const hash = `SELECT hash FROM ${from}.projects`;
  const views: Readonly<Record<keyof typeof KLAUDE_TABLES, string>> = {
    // The project of an instance may have no session yet.
    projects: `SELECT rowid AS id, root AS root_path, hash AS project_hash, created_at FROM ${from}.projects
      UNION ALL SELECT -min(rowid), root, project_hash, min(started_at) FROM ${from}.instances
        WHERE project_hash NOT IN (${hash}) GROUP BY project_hash`,
    instances: `SELECT i.id AS instance_id, p.id AS project_id, i.pid, i.tty, i.started_at, i.ended_at, i.exit_code,
        json_object('socket', i.socket, 'session', i.session_id) AS metadata_json
      FROM ${from}.instances i JOIN temp.projects p ON p.project_hash = i.project_hash`,
    sessions: `SELECT s.id, p.rowid AS project_id,
        (SELECT id FROM ${from}.sessions WHERE id = coalesce(s.parent_id, o.record ->> '$.startedBy')) AS parent_id,
        s.agent_type, i.id AS instance_id, s.title,
        (SELECT content FROM ${from}.messages WHERE session_id = s.id AND origin = 'user' ORDER BY id LIMIT 1) AS prompt,
        ${STATUS} AS status, s.created_at, s.updated_at,
        iif(${STATUS} IN ('done', 'failed', 'interrupted'), s.updated_at, NULL) AS ended_at,
        (SELECT record ->> '$.agentSession' FROM ${from}.events
          WHERE session_id = s.id AND type = 'runner.opened' ORDER BY seq DESC LIMIT 1) AS last_claude_session_id,
        NULL AS last_transcript_path,
        iif(${STATUS} = 'running' AND i.ended_at IS NULL, i.pid, NULL) AS current_process_pid,
        json_object('status', s.status, 'outcome', s.outcome, 'model', s.model, 'mode', s.mode, 'turns', s.turns,
          'toolCalls', s.tool_calls, 'costUsd', s.cost_usd) AS metadata_json
      FROM ${from}.sessions s JOIN ${from}.projects p ON p.hash = s.project_hash
      LEFT JOIN ${from}.events o ON o.session_id = s.id AND o.seq = 1
      LEFT JOIN ${from}.instances i ON i.id = o.record ->> '$.instance'`,
    // A fork has a copy of the event, and a later process continues the session of the program.
    claude_session_links: `SELECT min(e.id) AS id, e.session_id AS klaude_session_id,
        e.record ->> '$.agentSession' AS claude_session_id, NULL AS transcript_path, e.record ->> '$.agent' AS source,
        ${toIso("(e.record ->> '$.at')")} AS started_at, NULL AS ended_at
      FROM ${from}.events e JOIN ${from}.sessions s ON s.id = e.session_id
      WHERE e.type = 'runner.opened' GROUP BY claude_session_id`,
    runtime_process: `SELECT s.rowid AS id, s.id AS klaude_session_id, i.pid, 'sdk' AS kind, s.created_at AS started_at,
        i.ended_at AS exited_at, i.exit_code, s.status IN ('running', 'waiting') AND i.ended_at IS NULL AS is_current
      FROM ${from}.sessions s JOIN ${from}.events o ON o.session_id = s.id AND o.seq = 1
      JOIN ${from}.instances i ON i.id = o.record ->> '$.instance'`,
    events: `SELECT e.id, p.rowid AS project_id, s.id AS klaude_session_id, e.type AS kind, e.record AS payload_json,
        ${toIso("(e.record ->> '$.at')")} AS created_at
      FROM ${from}.events e LEFT JOIN ${from}.sessions s ON s.id = e.session_id
      LEFT JOIN ${from}.projects p ON p.hash = s.project_hash`,
  };
  return Object.entries(views)
    .map(([name, select]) => `CREATE TEMP VIEW ${name} AS ${select};`)
    .join('\n');
}
