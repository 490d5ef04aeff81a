import { openShared } from './open-shared.ts';

/** A row of the table `instances`. Times are ISO 8601 in UTC. */
export interface InstanceRow {
  /** ULID. */
  id: string;
  project: string;
  /** Absolute real path. */
  root: string;
  pid: number;
  /** Boot and start time of the process. */
  process: string;
  tty: string | null;
  /** Absolute path of its socket. */
  socket: string | null;
  startedAt: string;
  /** Null while it runs, and for one that was killed. */
  endedAt: string | null;
  exitCode: number | null;
  /** Id of the current session. */
  session: string | null;
}

/** Terminals and scripts with a current session, over a connection of its own. */
export interface InstanceTable extends Disposable {
  add(row: Omit<InstanceRow, 'endedAt' | 'exitCode'>): void;
  setSession(id: string, session: string | null): void;
  /** Does nothing for one that has ended. */
  end(id: string, at: string, exitCode: number | null): void;
  /** The newest last. @param filter.ended True: also those that have ended. Default false. */
  list(filter?: { project?: string; ended?: boolean }): InstanceRow[];
}

const COLUMNS = `id, project_hash AS project, root, pid, process, tty, socket, started_at AS startedAt,
  ended_at AS endedAt, exit_code AS exitCode, session_id AS session`;

/**
 * Opens the table in the database of a state folder, which is created if it does not exist.
 *
 * @param home Absolute path of the state folder.
 * @throws KlausError `store.corrupt`, `store.full`, `store.busy` while it is being recovered, `config`.
 */
export function openInstanceTable(home: string): InstanceTable {
  const { database, users } = openShared(home);
  return {
    add({ id, project, root, pid, process, tty, socket, startedAt, session }) {
      database.run(
        `INSERT INTO instances (id, project_hash, root, pid, process, tty, socket, started_at, session_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET project_hash = excluded.project_hash, root = excluded.root, pid = excluded.pid,
           process = excluded.process, tty = excluded.tty, socket = excluded.socket, started_at = excluded.started_at,
           session_id = excluded.session_id, ended_at = NULL, exit_code = NULL`,
        ...[id, project, root, pid, process, tty, socket, startedAt, session],
      );
    },
    setSession(id, session) {
      database.run('UPDATE instances SET session_id = ? WHERE id = ?', session, id);
    },
    end(id, at, exitCode) {
      database.run(
        'UPDATE instances SET ended_at = ?, exit_code = ? WHERE id = ? AND ended_at IS NULL',
        ...[at, exitCode, id],
      );
    },
    list({ project, ended = false } = {}) {
      return database.all<InstanceRow>(
        `SELECT ${COLUMNS} FROM instances
         WHERE (?1 IS NULL OR project_hash = ?1) AND (?2 = 1 OR ended_at IS NULL) ORDER BY id`,
        ...[project ?? null, ended ? 1 : 0],
      );
    },
    [Symbol.dispose]() {
      database.close();
      users.release();
    },
  };
}
