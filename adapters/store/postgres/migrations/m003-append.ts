import { CHANNEL } from '../notify/change.ts';
import type { Migration } from './migration.ts';

/** SQLSTATE of an append whose sessions do not end as the caller knows. */
const STALE_HEAD = 'KL001';

/**
 * Appends records of several sessions whose ends the caller knows, in one statement: it moves the heads, which must have
 * the fences, positions and hashes that are given, adds the records, and notifies. It locks heads in the order of their
 * ids, so that two calls never wait for each other.
 */
export const m003: Migration = {
  name: 'm003-append',
  apply: `
CREATE FUNCTION klaus_append(
  sessions text[], fences bigint[], seqs bigint[], hashes text[], end_seqs bigint[], end_hashes text[],
  event_sessions text[], event_seqs bigint[], event_types text[], event_records text[], payloads text[]
) RETURNS void LANGUAGE plpgsql AS $$
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
  PERFORM pg_notify('${CHANNEL}', payload) FROM unnest(payloads) AS payload;
END
$$;
`,
};
