import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/wrap/*.wrap.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    // The first run downloads the programs.
    hookTimeout: 900_000,
  },
});
