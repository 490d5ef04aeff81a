import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/injection/*.injection.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
