import { mkdir, realpath } from 'node:fs/promises';
import { distrustFolder } from '@klaus/adapters/system';
import type { Sandbox } from '@klaus/core/agent';
import { KlausError, type SandboxName } from '@klaus/core/protocol';
import type { Availability } from './availability.ts';
import { BubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
import { fetchBubblewrap } from './bubblewrap/fetch-bubblewrap.ts';
import { findBubblewrap, toBubblewrapAvailability, type BubblewrapSearch } from './bubblewrap/find-bubblewrap.ts';
import type { KubernetesOptions } from './kubernetes/kubernetes-options.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export interface CreateSandboxOptions extends SandboxOptions {
  /** Use this driver only. Default: the best one that works, which is never `host`. */
  choice?: SandboxName;
  /** `DOCKER_ENABLED`: true means Docker or refusal, false means never Docker. Default: Docker as the second choice. */
  dockerEnabled?: boolean;
  /** Docker image; default `klaus-sandbox`. */
  image?: string;
  /** The pods of `kubernetes`, which is used only if it is the choice. */
  kubernetes?: KubernetesOptions;
  /** See `DockerSandboxOptions`. */
  hostPaths?: readonly string[];
  /** Called with a progress message when bubblewrap is missing and fetched into `home`. Default: nothing is fetched. */
  onFetch?: (text: string) => void;
}

/** @throws KlausError `sandbox.unavailable` with the reason, and the fix in `hint`; `workspace.missing`. */
export async function createSandbox(given: CreateSandboxOptions): Promise<Sandbox> {
  const options = await toRealPaths(given);
  const { choice, dockerEnabled } = options;
  // Each driver is loaded where it is used.
  if (choice === 'host') return new (await import('./host/host-sandbox.ts')).HostSandbox(options);
  if (choice === 'kubernetes') return await openKubernetes(options);
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
    const { findDocker } = await import('./docker/find-docker.ts');
    const docker = await findDocker();
    if (docker.available && options.hosts) throw cannotLimit('Docker');
    if (docker.available) return new (await import('./docker/docker-sandbox.ts')).DockerSandbox(options);
    refusals.push(docker);
  }
  throw unavailable(
    refusals.map((each) => `${each.name}: ${each.reason}`),
    refusals.map((each) => each.fix),
  );
}

async function openKubernetes(options: CreateSandboxOptions): Promise<Sandbox> {
  if (options.hosts) throw cannotLimit('Kubernetes');
  const { KubernetesSandbox } = await import('./kubernetes/kubernetes-sandbox.ts');
  return new KubernetesSandbox({ ...options, kubernetes: options.kubernetes ?? { volumes: [] } });
}

async function provideBubblewrap({ home, onFetch }: CreateSandboxOptions): Promise<BubblewrapSearch> {
  const search = await findBubblewrap({ home });
  if (search.program || !search.canFetch) return search;
  if (!onFetch) return { ...search, reason: `${search.reason}, and sandbox.fetch is off, so it is not fetched` };
  onFetch('Bubblewrap, the sandbox for commands, is not installed. Downloading its package with apt (only once) …');
  const fetched = await fetchBubblewrap(home);
  if (fetched.path !== undefined) return await findBubblewrap({ home });
  return { ...search, reason: `${search.reason}, and it could not be fetched: ${fetched.reason}` };
}

export interface ProbeOptions {
  home: string;
  image?: string;
  /** Present if Kubernetes is the configured driver: no other user's cluster is asked. */
  kubernetes?: KubernetesOptions;
}

async function findChosenKubernetes({ image, kubernetes }: ProbeOptions): Promise<Availability[]> {
  if (!kubernetes) return [];
  const { findKubernetes } = await import('./kubernetes/find-kubernetes.ts');
  return [await findKubernetes({ image, kubernetes })];
}

/** The availability of each driver, for `klaus doctor`. */
export async function probeSandboxes(options: ProbeOptions): Promise<Availability[]> {
  const { findDockerImage } = await import('./docker/find-docker.ts');
  const [bubblewrap, docker, kubernetes] = await Promise.all([
    findBubblewrap(options),
    findDockerImage(options.image),
    findChosenKubernetes(options),
  ]);
  return [
    toBubblewrapAvailability(bubblewrap),
    docker,
    ...kubernetes,
    { name: 'host', available: true, detail: 'no sandbox; used only if chosen explicitly' },
  ];
}

async function toRealPaths(options: CreateSandboxOptions): Promise<CreateSandboxOptions> {
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const workspace = await realpath(options.workspace).catch((cause: unknown) => {
    throw new KlausError('workspace.missing', `The workspace ${options.workspace} does not exist.`, { cause });
  });
  distrustFolder(workspace);
  return { ...options, workspace, home: await realpath(options.home) };
}

function cannotLimit(driver: string): KlausError {
  return new KlausError('sandbox.unavailable', `The ${driver} sandbox cannot limit a network to some hosts.`, {
    hint: 'Install bubblewrap, or allow every host with `klaus fetch --any-host`.',
  });
}

function unavailable(reasons: readonly string[], fixes: readonly string[]): KlausError {
  return new KlausError('sandbox.unavailable', `no sandbox works here: ${reasons.join('; ')}`, {
    hint: fixes.join(' Or else: ').replaceAll('Or else: Type: ', 'Or else type: '),
  });
}
