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
  order: string;
  /** Columns that are no fact of the log: numbers of rows, and when a list last showed a change. */
  free: readonly string[];
  /** Columns of which a setting says how much of the beginning is kept. */
  cut: readonly string[];
}

const DERIVED: readonly Derived[] = [
  { table: 'sessions', key: 'id', order: 'id', free: ['updated_at'], cut: [] },
  { table: 'token_usage', key: 'session_id', order: 'id', free: ['id'], cut: [] },
  { table: 'tool_calls', key: 'session_id', order: 'id', free: ['id'], cut: ['output'] },
  { table: 'messages', key: 'session_id', order: 'id', free: ['id'], cut: ['content'] },
  { table: 'approvals', key: 'session_id', order: 'id', free: [], cut: [] },
];

/** Compares the tables that are made from the log with what the log comes to. */
export interface DerivedCheck extends Disposable {
  /** The first table that says something else of a session; undefined where all of them fit. */
  findAltered(session: string): string | undefined;
}

/** Folds logs into tables of its own, in memory. */
export function createDerivedCheck(database: Database): DerivedCheck {
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
    // The first record says what a fork took over.
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
    const said = own.all<Row>(sql, session);
    // Fewer are right: an approval can be forgotten.
    return database
      .all<Row>(sql, session)
      .every((row) => said.some((one) => isDeepStrictEqual({ ...one }, { ...row })));
  };
  return {
    findAltered(session) {
      own.transaction(() => fold(session));
      for (const derived of DERIVED) {
        const { table, key, order } = derived;
        const sql = `SELECT * FROM ${table} WHERE ${key} = ? ORDER BY ${order}`;
        const [kept, said] = [database.all<Row>(sql, session), own.all<Row>(sql, session)];
        if (kept.length !== said.length || !kept.every((row, at) => fits(row, said[at]!, derived))) return table;
      }
      return isRemembered(session) ? undefined : 'remembered';
    },
    [Symbol.dispose]: () => own.close(),
  };
}

function fits(kept: Row, said: Row, { free, cut }: Derived): boolean {
  return Object.entries(said).every(([column, value]) => {
    if (free.includes(column)) return true;
    const found = kept[column];
    if (found === value) return true;
    const isTool = typeof value === 'string' && typeof found === 'string' && (said['role'] ?? 'tool') === 'tool';
    return cut.includes(column) && isTool && found.length > 0 && value.startsWith(found);
  });
}

/** Sessions that a table names, whether there is a log of them or not. */
export function listDerivedSessions(database: Database): string[] {
  const sql = DERIVED.map(({ table, key }) => `SELECT ${key} AS id FROM ${table}`).join(' UNION ');
  return database.all<{ id: string }>(sql).map(({ id }) => id);
}
