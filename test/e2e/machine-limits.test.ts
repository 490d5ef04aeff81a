// Covers adapters/sandboxes: default limits of commands.
import { availableParallelism, totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { createTestHome } from '../fixtures/test-home.ts';
import { loadConfiguration } from '../../sdk/config/load-configuration.ts';
import { toSandboxOptions } from '../../sdk/engine/engine-settings.ts';

test('memory and cores of commands depend on the machine, unless they are set', async () => {
  using place = createTestHome();
  const load = (settings: Record<string, unknown>) =>
    loadConfiguration({ env: place.env, home: place.home, cwd: place.workspace, settings });
  const { limits } = toSandboxOptions(await load({}));
  expect(limits.memoryMb).toBeGreaterThan(0);
  expect(limits.memoryMb).toBeLessThanOrEqual(totalmem() / 2 / 1024 / 1024);
  expect(limits.cpus).toBe(Math.max(1, availableParallelism() - 1));
  const own = toSandboxOptions(await load({ 'sandbox.memoryMb': 512, 'sandbox.cpus': 2 }));
  expect(own.limits).toMatchObject({ memoryMb: 512, cpus: 2 });
});
