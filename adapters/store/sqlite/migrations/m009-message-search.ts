import type { Migration } from './migration.ts';

/**
 * An index over the messages of all sessions. It is brought up to date when somebody searches, not when a message is
 * written: appending costs what it did. It holds no text of its own and can be dropped at any time.
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
