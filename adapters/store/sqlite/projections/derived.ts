import { isDeepStrictEqual } from 'node:util';
import { Database } from '../database.ts';
import { readEvents } from '../log/log.ts';
import { createMigrationsTable, migrate } from '../migrations/migrate.ts';
import { project } from './projections.ts';

type Row = Record<string, unknown>;

interface Derived {
  table: string;
  /** Column of the session. */
  key: string;
  /** Columns that the log does not determine: row ids and times of the last listed change. */
  free: readonly string[];
  /** Columns that a setting truncates. */
  cut: readonly string[];
}

const DERIVED: readonly Derived[] = [
  { table: 'sessions', key: 'id', free: ['updated_at'], cut: [] },
  { table: 'token_usage', key: 'session_id', free: ['id'], cut: [] },
  { table: 'tool_calls', key: 'session_id', free: ['id'], cut: ['output'] },
  { table: 'messages', key: 'session_id', free: ['id'], cut: ['content'] },
  { table: 'approvals', key: 'session_id', free: [], cut: [] },
];

export type DerivedCheck = ReturnType<typeof createDerivedCheck>;

/** Compares the projections with a fold of the log into tables of an in-memory database. */
export function createDerivedCheck(database: Database) {
  const own = new Database(':memory:');
  createMigrationsTable(own);
  migrate(own);
  const fold = (session: string): void => {
    for (const { table } of DERIVED.toReversed()) own.exec(`DELETE FROM ${table}`);
    own.exec('DELETE FROM events; DELETE FROM remembered; DELETE FROM blob_refs; DELETE FROM messages_fts');
    own.exec('DELETE FROM projects');
    const first = database.get<{ type: string; record: string }>(
      'SELECT type, record FROM events WHERE session_id = ? AND seq = 1',
      session,
    );
    // The first record contains the number of inherited events.
    if (first)
      own.run(
        'INSERT INTO events (session_id, seq, type, record) VALUES (?, 1, ?, ?)',
        session,
        first.type,
        first.record,
      );
    for (const event of readEvents(database, session, 0)) {
      project(own, event, { maxToolResultSize: Number.MAX_SAFE_INTEGER });
    }
  };
  const isRemembered = (session: string): boolean => {
    const sql = 'SELECT * FROM remembered WHERE session_id = ?';
    const folded = own.all<Row>(sql, session);
    // Fewer rows are correct: an approval can be forgotten.
    return database
      .all<Row>(sql, session)
      .every((row) => folded.some((one) => isDeepStrictEqual({ ...one }, { ...row })));
  };
  return {
    /** The first table that differs for a session; undefined when all match. */
    findAltered(session: string): string | undefined {
      own.transaction(() => fold(session));
      for (const derived of DERIVED) {
        const { table, key } = derived;
        const sql = `SELECT * FROM ${table} WHERE ${key} = ? ORDER BY id`;
        const [stored, folded] = [database.all<Row>(sql, session), own.all<Row>(sql, session)];
        if (stored.length !== folded.length || !stored.every((row, at) => matches(row, folded[at]!, derived)))
          return table;
      }
      return isRemembered(session) ? undefined : 'remembered';
    },
    [Symbol.dispose]: () => own.close(),
  };
}

function matches(stored: Row, folded: Row, { free, cut }: Derived): boolean {
  return Object.entries(folded).every(([column, value]) => {
    if (free.includes(column)) return true;
    const found = stored[column];
    if (found === value) return true;
    const isTool = typeof value === 'string' && typeof found === 'string' && (folded['role'] ?? 'tool') === 'tool';
    return cut.includes(column) && isTool && found.length > 0 && value.startsWith(found);
  });
}

/** Sessions in the projections, with or without a log. */
export function listDerivedSessions(database: Database): string[] {
  const sql = DERIVED.map(({ table, key }) => `SELECT ${key} AS id FROM ${table}`).join(' UNION ');
  return database.all<{ id: string }>(sql).map(({ id }) => id);
}
