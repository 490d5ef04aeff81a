import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@klaus/core/protocol';
import { Database } from '../database.ts';
import { readEvents } from '../log/log.ts';
import { createMigrationsTable, migrate } from '../migrations/migrate.ts';
import { project } from './projections.ts';

export type Row = Record<string, unknown>;

interface Derived {
  table: string;
  /** Column of the session. */
  key: string;
  /** Columns that the log does not determine: row ids and times of the last listed change. */
  free: readonly string[];
  /** Columns that a setting truncates. */
  cut: readonly string[];
}

/** The tables that the log determines. */
export const DERIVED: readonly Derived[] = [
  { table: 'sessions', key: 'id', free: ['updated_at'], cut: [] },
  { table: 'token_usage', key: 'session_id', free: ['id'], cut: [] },
  { table: 'tool_calls', key: 'session_id', free: ['id'], cut: ['output'] },
  { table: 'messages', key: 'session_id', free: ['id'], cut: ['content'] },
  { table: 'approvals', key: 'session_id', free: [], cut: [] },
];

/** A fold of one session's log into tables of an in-memory database, to compare with the stored ones. */
export function createDerivedFold() {
  const own = new Database(':memory:');
  createMigrationsTable(own);
  migrate(own);
  const clear = (): void => {
    for (const { table } of DERIVED.toReversed()) own.exec(`DELETE FROM ${table}`);
    own.exec('DELETE FROM events; DELETE FROM remembered; DELETE FROM blob_refs; DELETE FROM messages_fts');
    own.exec('DELETE FROM projects');
  };
  return {
    /** @param first The first record, which contains the number of inherited events. */
    fold(session: string, first: { type: string; record: string } | undefined, events: Iterable<Event>): void {
      own.transaction(() => {
        clear();
        const sql = 'INSERT INTO events (session_id, seq, type, record) VALUES (?, 1, ?, ?)';
        if (first) own.run(sql, session, first.type, first.record);
        for (const event of events) project(own, event, { maxToolResultSize: Number.MAX_SAFE_INTEGER });
      });
    },
    /** @param stored All rows of the session, in the order of their ids. */
    matches(table: string, session: string, stored: readonly Row[]): boolean {
      const derived = DERIVED.find((one) => one.table === table)!;
      const folded = own.all<Row>(`SELECT * FROM ${table} WHERE ${derived.key} = ? ORDER BY id`, session);
      return stored.length === folded.length && stored.every((row, at) => matches(row, folded[at]!, derived));
    },
    /** Fewer rows are correct: an approval can be forgotten. */
    isRemembered(session: string, stored: readonly Row[]): boolean {
      const folded = own.all<Row>('SELECT * FROM remembered WHERE session_id = ?', session);
      return stored.every((row) => folded.some((one) => isDeepStrictEqual({ ...one }, { ...row })));
    },
    /** Triggers and views, which run with statements of Klaus, as it creates them. */
    programs: (): string[] => listPrograms(own),
    [Symbol.dispose]: () => own.close(),
  };
}

function listPrograms(database: Database): string[] {
  const sql = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')";
  return database.all<{ name: string; sql: string }>(sql).map(({ name, sql }) => `${name}: ${sql}`);
}

export type DerivedCheck = ReturnType<typeof createDerivedCheck>;

/** Compares the projections with a fold of the log. */
export function createDerivedCheck(database: Database) {
  const folded = createDerivedFold();
  return {
    /** The first table that differs for a session; undefined when all match. */
    findAltered(session: string): string | undefined {
      const first = database.get<{ type: string; record: string }>(
        'SELECT type, record FROM events WHERE session_id = ? AND seq = 1',
        session,
      );
      folded.fold(session, first, readEvents(database, session, 0));
      for (const { table, key } of DERIVED) {
        const stored = database.all<Row>(`SELECT * FROM ${table} WHERE ${key} = ? ORDER BY id`, session);
        if (!folded.matches(table, session, stored)) return table;
      }
      const remembered = database.all<Row>('SELECT * FROM remembered WHERE session_id = ?', session);
      return folded.isRemembered(session, remembered) ? undefined : 'remembered';
    },
    /** The name of a trigger or a view that Klaus did not create, or of one that was changed. */
    findPlanted(): string | undefined {
      const known = folded.programs();
      return listPrograms(database)
        .find((one) => !known.includes(one))
        ?.split(': ')[0];
    },
    [Symbol.dispose]: () => folded[Symbol.dispose](),
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
