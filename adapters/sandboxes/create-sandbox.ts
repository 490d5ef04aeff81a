import { mkdir, realpath } from 'node:fs/promises';
import { distrustFolder } from '@klaus/adapters/system';
import type { Sandbox } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { SandboxName } from '@klaus/core/protocol';
import type { Availability } from './availability.ts';
import { BubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
import { fetchBubblewrap } from './bubblewrap/fetch-bubblewrap.ts';
import { findBubblewrap, toBubblewrapAvailability, type BubblewrapSearch } from './bubblewrap/find-bubblewrap.ts';
import { DockerSandbox } from './docker/docker-sandbox.ts';
import { findDocker, findDockerImage } from './docker/find-docker.ts';
import { HostSandbox } from './host/host-sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export interface CreateSandboxOptions extends SandboxOptions {
  /** This driver or none. Default: the best that works, which is never `host`. */
  choice?: SandboxName;
  /** `DOCKER_ENABLED`: true means Docker or refusal, false means never Docker. Default: Docker as the second choice. */
  dockerEnabled?: boolean;
  /** Docker image; default `node:24-slim`. */
  image?: string;
  /**
   * Fetches bubblewrap into `home` where it is not installed and apt is there; told what is done, because it takes
   * seconds. Absent: nothing is fetched.
   */
  onFetch?: (text: string) => void;
}

/**
 * Chooses a driver.
 *
 * @throws KlausError `sandbox.unavailable` with the reason, and in `hint` the fix; `workspace.missing`.
 */
export async function createSandbox(given: CreateSandboxOptions): Promise<Sandbox> {
  const options = await toRealPaths(given);
  const { choice, dockerEnabled } = options;
  if (choice === 'host') return new HostSandbox(options);
  if (choice === 'docker' && dockerEnabled === false) {
    throw unavailable(
      ['Docker is asked for but DOCKER_ENABLED is false'],
      ['Set DOCKER_ENABLED=true, or choose bubblewrap.'],
    );
  }
  const refusals: Extract<Availability, { available: false }>[] = [];
  if (choice === 'bubblewrap' || (choice === undefined && dockerEnabled !== true)) {
    const search = await provideBubblewrap(options);
    if (search.program) return new BubblewrapSandbox(options, search.program);
    refusals.push({ name: 'bubblewrap', available: false, reason: search.reason, fix: search.fix });
  }
  if (choice === 'docker' || (choice === undefined && dockerEnabled !== false)) {
    const docker = await findDocker();
    if (docker.available && options.hosts) throw cannotLimit();
    if (docker.available) return new DockerSandbox(options);
    refusals.push(docker);
  }
  throw unavailable(
    refusals.map((each) => `${each.name}: ${each.reason}`),
    refusals.map((each) => each.fix),
  );
}

/** The one that works here, fetched where it is missing and that is wanted. */
async function provideBubblewrap({ home, onFetch }: CreateSandboxOptions): Promise<BubblewrapSearch> {
  const search = await findBubblewrap({ home });
  if (search.program || !search.canFetch) return search;
  if (!onFetch)
    return { ...search, reason: `${search.reason}, and sandbox.fetch is off, by which it would be fetched` };
  onFetch('Bubblewrap, the sandbox of commands, is not installed. Fetching its package by apt, once …');
  const fetched = await fetchBubblewrap(home);
  if (fetched.path !== undefined) return await findBubblewrap({ home });
  return { ...search, reason: `${search.reason}, and it could not be fetched: ${fetched.reason}` };
}

/**
 * What `klaus doctor` shows: each driver, and why not.
 *
 * @param options.image Image of the Docker sandbox. Default: the driver's own.
 */
export async function probeSandboxes(options: { home: string; image?: string }): Promise<Availability[]> {
  const [bubblewrap, docker] = await Promise.all([findBubblewrap(options), findDockerImage(options.image)]);
  return [
    toBubblewrapAvailability(bubblewrap),
    docker,
    { name: 'host', available: true, detail: 'no sandbox at all; only by explicit choice' },
  ];
}

async function toRealPaths(options: CreateSandboxOptions): Promise<CreateSandboxOptions> {
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const workspace = await realpath(options.workspace).catch((cause: unknown) => {
    throw new KlausError('workspace.missing', `the workspace ${options.workspace} does not exist`, { cause });
  });
  distrustFolder(workspace);
  return { ...options, workspace, home: await realpath(options.home) };
}

function cannotLimit(): KlausError {
  return new KlausError('sandbox.unavailable', 'The Docker sandbox cannot limit a network to some hosts.', {
    hint: 'Install bubblewrap, or allow every host: klaus fetch --any-host.',
  });
}

function unavailable(reasons: readonly string[], fixes: readonly string[]): KlausError {
  return new KlausError('sandbox.unavailable', `no sandbox works here: ${reasons.join('; ')}`, {
    hint: fixes.join(' Or else: ').replaceAll('Or else: Type: ', 'Or else type: '),
  });
}
