import type { Migration } from './migration.ts';

/** `input_tokens` is the whole prompt, as a sum over it is read; the cached part of it stands in columns of its own. */
export const m013: Migration = {
  name: 'm013-whole-input',
  apply(database) {
    for (const table of ['token_usage', 'sessions']) {
      database.exec(`UPDATE ${table} SET input_tokens = input_tokens + cache_read_tokens + cache_write_tokens
        WHERE cache_read_tokens + cache_write_tokens > 0`);
    }
  },
};
