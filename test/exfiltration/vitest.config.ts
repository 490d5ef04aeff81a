import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/exfiltration/*.exfiltration.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
