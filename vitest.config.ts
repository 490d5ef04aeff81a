import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{core,adapters,sdk,apps,scripts,test,bench}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'scripts/fixtures/**', 'apps/cli/demo/project/**'],
    pool: 'forks',
    // Tests wait for processes and clocks most of the time: a third fills the two cores of CI.
    maxWorkers: process.env['CI'] === 'true' ? 3 : 2,
    // Programs that tests start read what others of them have compiled: half of their start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile') },
    // Real sandboxes, databases and child processes on a shared machine: a limit is for hangs, not for speed.
    coverage: { include: ['{core,adapters,sdk,apps}/**/*.ts'], exclude: ['**/*.test.ts', '**/*.fixture.ts'] },
    tags: [
      { name: 'long', description: 'Further cases and larger scales of what other tests show: `npm run test:long`.' },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Only in CI: a slow machine gets two more attempts, and the report shows them.
    retry: process.env['CI'] === 'true' ? 2 : 0,
  },
});
