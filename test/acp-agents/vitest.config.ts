import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/acp-agents/*.acp.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    // The first run downloads the programs.
    hookTimeout: 900_000,
  },
});
