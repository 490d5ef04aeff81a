import type { Migration } from './migration.ts';

/** Every list of sessions contains the first prompt: the index finds it without reading other messages. */
export const m010: Migration = {
  name: 'm010-first-prompt',
  apply(database) {
    database.exec("CREATE INDEX idx_messages_prompts ON messages(session_id, id) WHERE origin = 'user'");
  },
};
