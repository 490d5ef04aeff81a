import { randomUUID } from 'node:crypto';
import type { ExecLimits, ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { KlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { toCommandScript } from '../container/command-script.ts';
import { ImageProject } from '../container/image-project.ts';
import { prepareWorkspace } from '../container/prepare-workspace.ts';
import { WarmSlots, type SlotRequest, type WarmSlot } from '../container/warm-slot.ts';
import { DEFAULT_IMAGE } from '../docker/find-docker.ts';
import { toExecLimits } from '../exec-limits.ts';
import { passEnvironment } from '../passed-environment.ts';
import { toWorkingFolder } from '../paths.ts';
import { supervise, type Supervised } from '../process/supervise.ts';
import { dropReplacedFolders } from '../readable-folders.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { cannotHideParts } from '../view.ts';
import { openCluster, type ClusterClient } from './cluster-client.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { findOpenNetwork } from './network-policies.ts';
import { planPod, type PodPlan } from './pod-plan.ts';
import { findOwnPod, POD_LABELS, removeLeftPods, toPodNames } from './pods.ts';
import { Pod, type PodTimes } from './pod.ts';
import { listMountPoints, parseVolumes, type VolumeMapping } from './volumes.ts';

/** How long a pod waits for the next command. */
const IDLE_MS = 300_000;
const TIMES: PodTimes = { start: 120_000, end: 30_000 };
/** The handler of gVisor. @source gvisor.dev/docs/user_guide/quick_start/kubernetes */
const GVISOR = 'runsc';

const slots = new WarmSlots<Pod>(IDLE_MS);

export interface KubernetesSandboxOptions extends SandboxOptions {
  /** Default `klaus-sandbox`. */
  image?: string;
  kubernetes: KubernetesOptions;
  times?: PodTimes;
}

/** What the cluster has, read once for each sandbox. */
interface Surroundings {
  runtimeClass: string | undefined;
  owner: Awaited<ReturnType<typeof findOwnPod>>;
}

/**
 * Runs commands in a pod for each session. Commands use the programs of the image, and see only folders on volumes. They
 * see the workspace at its path and write it as its owner. The exit code of a command that a signal ended is 128 plus the
 * signal's number.
 *
 * A pod runs one command at a time, by `pods/exec`, and waits for the next one. It is used again only if a new one would
 * have the same specification, and if the last command left neither processes nor temporary files. Commands have no
 * network. A program that gets its input piece by piece has a pod of its own.
 */
export class KubernetesSandbox implements Sandbox {
  readonly name = 'kubernetes';
  readonly #options: KubernetesSandboxOptions;
  readonly #cluster: ClusterClient;
  readonly #mappings: readonly VolumeMapping[];
  readonly #since = Date.now();
  readonly #project: ImageProject;
  readonly #slot: WarmSlot<Pod>;
  #surroundings: Promise<Surroundings> | undefined;

  /** @throws KlausError `sandbox.unavailable`, `config` for settings that cannot work. */
  constructor(options: KubernetesSandboxOptions, cluster?: ClusterClient) {
    this.#options = options;
    this.#project = new ImageProject(options, options.image ?? DEFAULT_IMAGE);
    checkSettings(options.kubernetes);
    this.#mappings = parseVolumes(options.kubernetes.volumes);
    this.#cluster = cluster ?? openCluster(options.kubernetes);
    this.#slot = slots.open(options.workspace, options.session);
  }

  async exec(given: ExecRequest): Promise<ExecResult> {
    const warnings = new Set<string>();
    const request = dropReplacedFolders(given, warnings);
    refuseUnsupported(request);
    const { stdin } = request;
    const isLong = typeof stdin === 'object' && Symbol.asyncIterator in stdin;
    const slot = isLong ? slots.open(this.#options.workspace, undefined) : this.#slot;
    const limits = toExecLimits(this.#options.limits, request.limits);
    toWorkingFolder(request, this.#options.workspace);
    await this.#checkNetwork();
    const taken = await slot.take(await this.#toSlotRequest(request, { limits, warnings }));
    let canStay = false;
    let repairs: readonly string[];
    let result: Supervised;
    let outOfMemory = 0;
    try {
      const before = taken.container.outOfMemory;
      result = await this.#run(taken.container, request, limits);
      outOfMemory = taken.container.outOfMemory - before;
      canStay = !isLong && outOfMemory === 0 && request.workspaceAt === undefined && request.besideAt === undefined;
    } finally {
      repairs = await slot.release(taken, canStay);
    }
    for (const repair of repairs) warnings.add(repair);
    return {
      ...result,
      unenforced: this.#listUnenforced(),
      ...(outOfMemory > 0 ? { exceeded: [`memory: a process was ended at the limit of ${limits.memoryMb} MiB`] } : {}),
      ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
    };
  }

  /** The policies can change at any time. */
  async #checkNetwork(): Promise<void> {
    const reason = findOpenNetwork(await this.#cluster.listPolicies(), POD_LABELS);
    if (reason === undefined) return;
    const { namespace } = this.#cluster;
    throw new KlausError('sandbox.failed', `Pods of the sandbox would have a network in ${namespace}: ${reason}.`, {
      hint: 'Apply `deploy/kubernetes-pods/sandbox.yaml`, and let no other policy select these pods.',
    });
  }

  async #toSlotRequest(
    request: ExecRequest,
    { limits, warnings }: { limits: ExecLimits; warnings: Set<string> },
  ): Promise<SlotRequest<Pod, PodPlan>> {
    const { workspace, home, image = DEFAULT_IMAGE, objects, session, kubernetes, times = TIMES } = this.#options;
    const user = await this.#project.readUser();
    const project = await this.#project.open();
    const { runtimeClass, owner } = await this.#findSurroundings();
    const { view, masks, protect } = await prepareWorkspace(this.#options, request, {
      ...{ project, warnings, since: this.#since },
    });
    const run = {
      ...{ image, view, home, objects, project, limits, user, masks, runtimeClass },
      ...{ settings: kubernetes, mappings: this.#mappings, mountPoints: listMountPoints() },
    };
    return {
      protect,
      plan: (protection) => planPod({ ...run, protection }, request),
      start: (plan) => {
        const names = toPodNames({ workspace, session, owner }, randomUUID());
        return Pod.start({ cluster: this.#cluster, plan, names, times });
      },
    };
  }

  async #run(pod: Pod, request: ExecRequest, limits: ExecLimits): Promise<Supervised> {
    const { workspace } = this.#options;
    const passed = passEnvironment(this.#options, request).variables;
    const cwd = toWorkingFolder(request, workspace);
    const script = toCommandScript({ workspace, cwd, project: await this.#project.open(), passed }, request);
    return supervise(await pod.startCommand(script), { ...request, timeoutMs: limits.timeoutMs });
  }

  #listUnenforced(): string[] {
    const { seccompProfile } = this.#options.kubernetes;
    const found = ['processes: Kubernetes limits them for a node, by `podPidsLimit` of the kubelet'];
    if (seccompProfile === undefined)
      found.push(
        'system calls: the filter of the runtime applies; `sandbox.kubernetes.seccompProfile` selects another',
      );
    return found;
  }

  #findSurroundings(): Promise<Surroundings> {
    this.#surroundings ??= this.#search();
    // The next command tries again.
    this.#surroundings.catch(() => (this.#surroundings = undefined));
    return this.#surroundings;
  }

  async #search(): Promise<Surroundings> {
    const { runtimeClass: given } = this.#options.kubernetes;
    await removeLeftPods(this.#cluster);
    const owner = await findOwnPod(this.#cluster);
    if (given !== undefined) return { runtimeClass: given === 'none' ? undefined : given, owner };
    return { runtimeClass: (await this.#cluster.findClasses(GVISOR))?.[0], owner };
  }

  inspect(_programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment> {
    return this.#project.inspect(folders);
  }

  suspect(paths: readonly string[]): Promise<void> {
    return this.#project.suspect(paths);
  }
}

/** @throws KlausError `sandbox.unavailable`. */
export function checkSettings({ volumes, enforcesPolicies }: KubernetesOptions): void {
  if (volumes.length === 0) {
    throw new KlausError('sandbox.unavailable', 'Commands in pods see folders on volumes only, and none is named.', {
      hint: 'Set `sandbox.kubernetes.volumes`, such as `/workspace=claim:workspaces`.',
    });
  }
  if (enforcesPolicies === true) return;
  throw new KlausError(
    'sandbox.unavailable',
    'Commands in pods have no network only if the cluster enforces network policies, which its API does not show.',
    { hint: 'Try it in the cluster, then set `sandbox.kubernetes.networkPolicies` to true.' },
  );
}

/** @throws KlausError `sandbox.unavailable`, `sandbox.failed` for what pods cannot keep. */
function refuseUnsupported({ files, network = false, relay, inherits }: ExecRequest): void {
  if (files) throw cannotHideParts('Kubernetes');
  if (network !== false || relay) {
    throw new KlausError('sandbox.failed', 'The Kubernetes sandbox cannot give a command a network.', {
      hint: 'Run it without a network, or in the bubblewrap sandbox.',
    });
  }
  if (inherits) throw new KlausError('sandbox.failed', 'The Kubernetes sandbox cannot pass a terminal to a command.');
}
