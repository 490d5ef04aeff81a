import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/attack/*.attack.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
