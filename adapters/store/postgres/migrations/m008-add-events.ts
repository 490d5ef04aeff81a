import type { Migration } from './migration.ts';

/** SQLSTATE of an append whose sessions do not end as the caller knows. */
const STALE_HEAD = 'KL001';

/**
 * Appends without a notification, which would be sent with the commit: Postgres lets transactions with one commit one
 * after the other. The caller sends it after that. The time of the last event is next to the end of the log, so that an
 * event which changes nothing else of its session needs no further update. One event of one session is a statement
 * without a procedure; see `toSingleWrite`.
 *
 * An append changes as few indexes as possible: the numbers of events are in one for decisions only, and sessions are
 * sorted by the minute of their last event first. A new time within the same minute changes no index.
 *
 * A later migration that adds a column to `sessions` has to replace the view.
 */
export const m008: Migration = {
  name: 'm008-add-events',
  apply: `
ALTER TABLE events DROP CONSTRAINT events_pkey;
ALTER TABLE events REPLICA IDENTITY USING INDEX events_session_id_seq_key;
CREATE INDEX idx_events_decisions ON events(id) WHERE type = 'gate.decided';

ALTER TABLE heads ADD COLUMN updated_at text COLLATE "C";  -- ISO 8601; null before the first event
UPDATE heads SET updated_at = sessions.updated_at FROM sessions WHERE sessions.id = heads.session_id;
ALTER TABLE heads ADD COLUMN updated_minute text COLLATE "C" GENERATED ALWAYS AS (left(updated_at, 16)) STORED;
CREATE INDEX idx_heads_updated ON heads(updated_minute DESC);
ALTER TABLE sessions DROP COLUMN updated_at;
CREATE VIEW dated_sessions AS
  SELECT sessions.*, updated_at, updated_minute FROM sessions JOIN heads ON heads.session_id = sessions.id;

DROP FUNCTION klaus_append;
CREATE PROCEDURE klaus_add_events(
  sessions text[], fences bigint[], seqs bigint[], hashes text[], end_seqs bigint[], end_hashes text[],
  times text[],                           -- null: the last event does not concern the session itself
  event_sessions text[], event_seqs bigint[], event_types text[], event_records text[]
) LANGUAGE plpgsql SET plan_cache_mode TO force_generic_plan AS $$
DECLARE
  moved integer;
BEGIN
  -- In the order of their ids, so that two calls never wait for each other.
  IF cardinality(sessions) > 1 THEN
    PERFORM 1 FROM heads WHERE session_id = ANY(sessions) ORDER BY session_id FOR UPDATE;
  END IF;
  UPDATE heads SET seq = given.end_seq, hash = given.end_hash, updated_at = coalesce(given.time, updated_at)
    FROM unnest(sessions, fences, seqs, hashes, end_seqs, end_hashes, times)
      AS given(session, fence, seq, hash, end_seq, end_hash, time)
    WHERE heads.session_id = given.session AND heads.fence = given.fence
      AND heads.seq = given.seq AND heads.hash = given.hash;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(sessions) THEN
    RAISE EXCEPTION 'A session does not end as expected.' USING ERRCODE = '${STALE_HEAD}';
  END IF;
  INSERT INTO events (session_id, seq, type, record)
    SELECT * FROM unnest(event_sessions, event_seqs, event_types, event_records);
END
$$;
`,
};
