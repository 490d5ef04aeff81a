import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/kubernetes/*.kubernetes.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
