import type { Migration } from './migration.ts';

/** SQLSTATE of a command for a session that does not run here. */
export const MOVED = 'KL002';

/** What the administration of several machines needs. None of it is read by an append. */
export const m005: Migration = {
  name: 'm005-operations',
  apply: `
-- The sessions that do not run here, because they run at another place.
CREATE TABLE session_moves (
  session_id text COLLATE "C" PRIMARY KEY,
  state text COLLATE "C" NOT NULL,        -- leaving, moved, arriving, copy
  place text COLLATE "C" NOT NULL,
  at bigint NOT NULL                      -- Unix milliseconds
);

-- A command for a session that does not run here is refused. The lock waits for a move that has begun, and a move for it.
CREATE FUNCTION klaus_check_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM heads WHERE session_id = NEW.session_id FOR KEY SHARE;
  IF EXISTS (SELECT 1 FROM session_moves WHERE session_id = NEW.session_id) THEN
    RAISE EXCEPTION 'the session does not run here' USING ERRCODE = '${MOVED}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER inbox_check_move BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION klaus_check_move();

-- Processes that run sessions. A row without a recent time is of a process that was killed.
CREATE TABLE workers (
  id text COLLATE "C" PRIMARY KEY,
  host text COLLATE "C" NOT NULL,
  pid integer NOT NULL,
  version text COLLATE "C" NOT NULL,
  health text COLLATE "C",                -- URL; null where none is served
  slots integer NOT NULL,
  running integer NOT NULL,
  draining boolean NOT NULL,
  holder integer,                         -- its number in leases; null while it is not connected
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  drain_at timestamptz                    -- when an administrator asked it to drain
) WITH (fillfactor = 50);

-- Why a session could not run, until it runs again.
CREATE TABLE run_problems (
  session_id text COLLATE "C" PRIMARY KEY,
  worker text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Sessions whose worker is asked to give them back after the current step.
CREATE TABLE release_requests (
  session_id text COLLATE "C" PRIMARY KEY,
  holder integer NOT NULL,                -- of the lease when it was asked
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`,
};
