import type { Migration } from './migration.ts';

/**
 * What every list shows of a session is in its row: the first prompt, and the session that it is a fork of. The
 * index of prompts has no other use.
 */
export const m016: Migration = {
  name: 'm016-listing',
  apply: `
ALTER TABLE sessions ADD COLUMN first_prompt TEXT;  -- at most 200 characters
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
UPDATE sessions SET
  first_prompt = (SELECT substr(content, 1, 200) FROM messages INDEXED BY idx_messages_prompts
    WHERE session_id = sessions.id AND origin = 'user' ORDER BY messages.id LIMIT 1),
  forked_from = (SELECT json_extract(record, '$.forked.session') FROM events
    WHERE session_id = sessions.id AND seq = 1);
DROP INDEX idx_messages_prompts;
`,
};
