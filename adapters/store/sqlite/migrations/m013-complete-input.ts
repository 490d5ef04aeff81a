import type { Migration } from './migration.ts';

/** `input_tokens` now contains the complete prompt; the cached parts are also in columns of their own. */
export const m013: Migration = {
  name: 'm013-whole-input',
  apply(database) {
    for (const table of ['token_usage', 'sessions']) {
      database.exec(`UPDATE ${table} SET input_tokens = input_tokens + cache_read_tokens + cache_write_tokens
        WHERE cache_read_tokens + cache_write_tokens > 0`);
    }
  },
};
