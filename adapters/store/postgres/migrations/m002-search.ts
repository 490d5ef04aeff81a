import type { Migration } from './migration.ts';

/**
 * What the queries need in addition to the tables: the search by a prefix of an id that ignores case, the configuration
 * of the full-text search, and the messages that its index does not contain yet. The configuration reduces English words
 * to their stems, as the index of the SQLite store does; unlike the configuration `english` of Postgres it has no stop
 * words, so that a phrase contains all its words.
 */
export const m002: Migration = {
  name: 'm002-search',
  apply: `
CREATE INDEX idx_sessions_lower ON sessions(lower(id));
CREATE INDEX idx_approvals_lower ON approvals(lower(id));
CREATE INDEX idx_events_decided ON events(id) WHERE type = 'gate.decided';

CREATE TEXT SEARCH DICTIONARY klaus_stems (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION klaus (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION klaus ALTER MAPPING FOR asciiword, word WITH klaus_stems;

ALTER TABLE messages ADD COLUMN is_indexed boolean NOT NULL DEFAULT false;
CREATE INDEX idx_messages_pending ON messages(id) WHERE NOT is_indexed;

ALTER TABLE knowledge ADD COLUMN words tsvector NOT NULL DEFAULT '';
CREATE INDEX idx_knowledge_words ON knowledge USING gin (words);
`,
};
