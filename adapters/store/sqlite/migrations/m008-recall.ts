import type { Migration } from './migration.ts';

/**
 * A full-text index over sessions, for `recall`. It is updated by a search, not by an append, which therefore costs
 * nothing more. It can be dropped at any time.
 */
export const m008: Migration = {
  name: 'm008-recall',
  // The index stores no text itself: chunks contain its position in the log and the blobs.
  apply: `
CREATE TABLE recall_heads (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL              -- of the last indexed record
) STRICT;

CREATE TABLE recall_documents (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  title TEXT NOT NULL,
  length INTEGER NOT NULL,          -- characters; of a large one bytes
  large INTEGER NOT NULL,           -- 1: not in the index, scanned by a search
  UNIQUE (session_id, seq)
) STRICT;

CREATE TABLE recall_chunks (
  id INTEGER PRIMARY KEY,           -- rowid in recall_fts
  document INTEGER NOT NULL REFERENCES recall_documents(id) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_recall_chunks_document ON recall_chunks(document);

CREATE VIRTUAL TABLE recall_fts USING fts5(
  session, text, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
`,
};
