import type { Migration } from './migration.ts';

/** What the user said first stands in every list of sessions: it is found without a look at what else was said. */
export const m010: Migration = {
  name: 'm010-first-prompt',
  apply(database) {
    database.exec("CREATE INDEX idx_messages_prompts ON messages(session_id, id) WHERE origin = 'user'");
  },
};
