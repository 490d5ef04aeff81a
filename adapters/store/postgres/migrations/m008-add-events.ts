import type { Migration } from './migration.ts';

/** SQLSTATE of an append whose sessions do not end as the caller knows. */
const STALE_HEAD = 'KL001';

/**
 * Appends without a notification, which would be sent with the commit: Postgres lets transactions with one commit one
 * after the other. The caller sends it after that. One event of one session has a procedure of its own, which also updates
 * the time of the session: arrays and further statements would take as long as the rest of it. `klaus_append` is for
 * processes of the former version.
 *
 * An append changes as few indexes as possible: the numbers of events are in one for decisions only, and sessions are
 * sorted by the minute of their last event first. A new time within the same minute changes no index.
 */
export const m008: Migration = {
  name: 'm008-add-events',
  apply: `
ALTER TABLE events DROP CONSTRAINT events_pkey;
ALTER TABLE events REPLICA IDENTITY USING INDEX events_session_id_seq_key;
CREATE INDEX idx_events_decisions ON events(id) WHERE type = 'gate.decided';

ALTER TABLE sessions ADD COLUMN updated_minute text COLLATE "C" GENERATED ALWAYS AS (left(updated_at, 16)) STORED;
DROP INDEX idx_sessions_updated;
CREATE INDEX idx_sessions_updated ON sessions(updated_minute DESC);

CREATE PROCEDURE klaus_add_events(
  sessions text[], fences bigint[], seqs bigint[], hashes text[], end_seqs bigint[], end_hashes text[],
  event_sessions text[], event_seqs bigint[], event_types text[], event_records text[]
) LANGUAGE plpgsql SET plan_cache_mode TO force_generic_plan AS $$
DECLARE
  moved integer;
BEGIN
  IF cardinality(sessions) > 1 THEN
    PERFORM 1 FROM heads WHERE session_id = ANY(sessions) ORDER BY session_id FOR UPDATE;
  END IF;
  UPDATE heads SET seq = given.end_seq, hash = given.end_hash
    FROM unnest(sessions, fences, seqs, hashes, end_seqs, end_hashes)
      AS given(session, fence, seq, hash, end_seq, end_hash)
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

CREATE PROCEDURE klaus_add_event(
  given_session text, given_fence bigint, given_seq bigint, given_hash text, end_hash text,
  event_type text, event_record text,
  touched_at text                         -- null: the caller updates the session
) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE heads SET seq = given_seq + 1, hash = end_hash
    WHERE session_id = given_session AND fence = given_fence AND seq = given_seq AND hash = given_hash;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'A session does not end as expected.' USING ERRCODE = '${STALE_HEAD}';
  END IF;
  INSERT INTO events (session_id, seq, type, record)
    VALUES (given_session, given_seq + 1, event_type, event_record);
  -- A statement of its own, so that it sees what another transaction wrote while the first one waited for it.
  IF touched_at IS NOT NULL THEN
    UPDATE sessions SET updated_at = touched_at WHERE id = given_session;
  END IF;
END
$$;
`,
};
