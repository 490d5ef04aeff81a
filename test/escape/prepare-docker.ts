import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { CreateSandboxOptions } from '@klaus/adapters/sandboxes';
import { startEngine } from '../../adapters/sandboxes/docker/dockerd.fixture.ts';
import type { World } from './world.ts';

const KLAUS = join(import.meta.dirname, '../../apps/cli/main.ts');

/** What a driver needs, such as an engine with the image of the sandbox, or the reason why there is none. */
export interface Prepared {
  reason?: string;
  /** Further options of the sandbox of a world. Default: none. */
  toOptions?: (world: World) => Partial<CreateSandboxOptions>;
  close?: () => Promise<void>;
}

/** Uses the engine of `DOCKER_HOST`, or starts one, and builds the image as a user does. */
export async function prepareDocker(): Promise<Prepared> {
  const isGiven = process.env['DOCKER_HOST'] !== undefined && spawnSync('docker', ['version']).status === 0;
  const started = isGiven ? undefined : await startEngine();
  if (started && !started.engine) return { reason: started.reason };
  if (started) process.env['DOCKER_HOST'] = started.engine.host;
  execFileSync(process.execPath, [KLAUS, 'sandbox', 'build', '--json'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return started ? { close: () => started.engine.close() } : {};
}
