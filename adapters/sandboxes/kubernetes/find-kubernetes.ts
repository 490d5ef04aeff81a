import { randomUUID } from 'node:crypto';
import { isKlausError } from '@klaus/core/protocol';
import type { Availability } from '../availability.ts';
import { DEFAULT_IMAGE } from '../docker/find-docker.ts';
import { DEFAULT_EXEC_LIMITS } from '../exec-limits.ts';
import { openCluster, type ClusterClient, type Permission } from './cluster-client.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { checkSettings } from './kubernetes-sandbox.ts';
import { findOpenNetwork } from './network-policies.ts';
import { planPod, toPod } from './pod-plan.ts';
import { POD_LABELS, toPodNames } from './pods.ts';
import { parseVolumes } from './volumes.ts';

/** What the driver needs. Connections need `get` before Kubernetes 1.35, and `create` from then on. */
const PERMISSIONS: readonly Permission[] = [
  ...['create', 'get', 'list', 'delete'].map((verb) => ({ verb, resource: 'pods' })),
  ...['exec', 'attach'].flatMap((subresource) =>
    ['create', 'get'].map((verb) => ({ verb, resource: 'pods', subresource })),
  ),
  { verb: 'list', resource: 'events' },
  { verb: 'list', resource: 'networkpolicies', group: 'networking.k8s.io' },
];

export interface FindOptions {
  image?: string;
  kubernetes: KubernetesOptions;
}

/**
 * Checks the settings, the API server, the permissions, the network policies, and a pod, which is not created. Never
 * rejects.
 */
export async function findKubernetes(options: FindOptions, cluster?: ClusterClient): Promise<Availability> {
  try {
    const { kubernetes } = options;
    checkSettings(kubernetes);
    const client = cluster ?? openCluster(kubernetes);
    return await probe(client, options);
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return refuse(error.message, error.hint ?? 'Read docs/cluster.md, "A pod for each session".');
  }
}

async function probe(cluster: ClusterClient, options: FindOptions): Promise<Availability> {
  const { namespace, server } = cluster;
  const version = await cluster.readVersion();
  const allowed = await Promise.all(PERMISSIONS.map((each) => cluster.isAllowed(each)));
  const missing = PERMISSIONS.filter((_, at) => !allowed[at]).map(toText);
  if (missing.length > 0) {
    const reason = `this process may not ${missing.join(', ')} in the namespace ${namespace}`;
    return refuse(reason, 'Apply `deploy/kubernetes-pods/sandbox.yaml`, and use its service account.');
  }
  const open = findOpenNetwork(await cluster.listPolicies(), POD_LABELS);
  if (open !== undefined) {
    const fix = 'Apply `deploy/kubernetes-pods/sandbox.yaml`, and let no other policy select these pods.';
    return refuse(`pods of the sandbox would have a network in ${namespace}: ${open}`, fix);
  }
  const runtimeClass = await findClass(cluster, options.kubernetes);
  await tryPod(cluster, options, runtimeClass);
  const detail = [
    `Kubernetes ${version} at ${server}, namespace ${namespace}`,
    `runtime class ${runtimeClass ?? 'of the node'}`,
    'a network policy refuses connections, and whether the network of the cluster enforces it cannot be seen from here',
  ];
  return { name: 'kubernetes', available: true, detail: detail.join('; ') };
}

async function findClass(cluster: ClusterClient, { runtimeClass }: KubernetesOptions): Promise<string | undefined> {
  if (runtimeClass !== undefined) return runtimeClass === 'none' ? undefined : runtimeClass;
  return (await cluster.findClasses('runsc'))?.[0];
}

/** Lets the API server check a pod: its namespace, its runtime class, its admission and the quota. */
async function tryPod(
  cluster: ClusterClient,
  { image = DEFAULT_IMAGE, kubernetes }: FindOptions,
  runtimeClass: string | undefined,
): Promise<void> {
  const mappings = parseVolumes(kubernetes.volumes);
  const workspace = mappings[0]!.inside;
  const plan = planPod(
    {
      ...{ image, runtimeClass, mappings, settings: kubernetes, mountPoints: [], limits: DEFAULT_EXEC_LIMITS },
      ...{
        view: { source: workspace, target: workspace },
        user: { uid: 1_000, gid: 1_000 },
        masks: [],
        home: '/.klaus',
      },
      ...{ project: { home: workspace, mounts: [] }, protection: { external: [], pinned: [], readOnly: [] } },
    },
    { command: 'true' },
  );
  await cluster.createPod(toPod(plan, toPodNames({ workspace, owner: undefined }, randomUUID())), true);
}

function toText({ verb, resource, subresource }: Permission): string {
  return `\`${verb}\` ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}

function refuse(reason: string, fix: string): Availability {
  return { name: 'kubernetes', available: false, reason, fix };
}
