import type { Migration } from './migration.ts';

/**
 * A full-text index over the messages of all sessions. It is updated by a search, not by an append, which therefore costs
 * nothing more. It stores no text itself and can be dropped at any time.
 */
export const m009: Migration = {
  name: 'm009-message-search',
  apply(database) {
    database.exec(`
CREATE VIRTUAL TABLE messages_fts USING fts5(
  content, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
`);
  },
};
