import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SYSTEM_FILES } from './scripts/test/projects.ts';
import { Sequencer } from './scripts/test/sequencer.ts';

/** Projects of their own, and files that are data. */
const NO_TESTS = ['**/node_modules/**', 'scripts/fixtures/**', 'apps/cli/demo/project/**'];

export default defineConfig({
  test: {
    exclude: NO_TESTS,
    pool: 'forks',
    sequence: { sequencer: Sequencer },
    // Programs that tests start read what others of them have compiled: half of their start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile') },
    coverage: { include: ['{core,adapters,sdk,apps}/**/*.ts'], exclude: ['**/*.test.ts', '**/*.fixture.ts'] },
    tags: [
      { name: 'long', description: 'Further cases and larger scales of what other tests show: `npm run test:long`.' },
    ],
    // Real sandboxes, databases and child processes on a shared machine: a limit is for hangs, not for speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{core,adapters,sdk,apps,scripts,bench}/**/*.test.ts'],
          exclude: [...NO_TESTS, ...SYSTEM_FILES],
          // A process runs many files, so that it loads the modules once: they are half of the time.
          isolate: false,
          setupFiles: ['scripts/test/restore-process.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: [...SYSTEM_FILES].map((pattern) => `${pattern.replace('/**', '')}/**/*.test.ts`),
          globalSetup: ['test/services/global-setup.ts'],
          // Tests wait for processes and clocks most of the time: a third fills the two cores of CI.
          maxWorkers: process.env['CI'] === 'true' ? 3 : 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
