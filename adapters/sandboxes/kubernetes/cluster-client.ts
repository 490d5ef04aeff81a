import type { CoreV1Event, V1NetworkPolicy, V1Pod } from '@kubernetes/client-node';
import { KlausError } from '@klaus/core/protocol';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { loadKubernetes } from './packages.ts';
import { openPodStream, type PodStream } from './pod-stream.ts';

/** Time for one request. */
const REQUEST_MS = 15_000;

/** A permission in the namespace. */
export interface Permission {
  verb: string;
  resource: string;
  subresource?: string;
  group?: string;
}

/** What the sandbox does in a cluster. Each call throws KlausError `sandbox.failed`. */
export interface ClusterClient {
  readonly namespace: string;
  /** Address of the API server. */
  readonly server: string;
  /** @param isTrial True: it is checked, and not created. Default false. */
  createPod(pod: V1Pod, isTrial?: boolean): Promise<V1Pod>;
  /** Undefined if it does not exist. */
  readPod(name: string): Promise<V1Pod | undefined>;
  /** A pod that does not exist is no error. */
  deletePod(name: string): Promise<void>;
  listPods(labelSelector: string): Promise<V1Pod[]>;
  /** Warnings of the scheduler and the kubelet about a pod, newest first. */
  listWarnings(pod: string): Promise<string[]>;
  listPolicies(): Promise<V1NetworkPolicy[]>;
  /** The names of the classes with a handler; undefined if this process may not list them. */
  findClasses(handler: string): Promise<string[] | undefined>;
  isAllowed(permission: Permission): Promise<boolean>;
  /** The version of the API server. */
  readVersion(): Promise<string>;
  /** Runs a command in a container, or connects to its main process. */
  connect(pod: string, container: string, command?: readonly string[]): Promise<PodStream>;
}

/**
 * Connects with the configuration of the client: `KUBECONFIG`, `~/.kube/config`, or the service account of the pod.
 *
 * @throws KlausError `sandbox.unavailable` without the package or with a configuration that cannot be read.
 */
export function openCluster(options: Pick<KubernetesOptions, 'namespace'>, package_ = loadKubernetes()): ClusterClient {
  const config = new package_.KubeConfig();
  try {
    config.loadFromDefault();
  } catch (cause) {
    throw new KlausError('sandbox.unavailable', `The configuration of Kubernetes cannot be read: ${String(cause)}`, {
      hint: 'Set `KUBECONFIG`, or run in a pod with a service account.',
      cause,
    });
  }
  const server = config.getCurrentCluster()?.server ?? '';
  const namespace = options.namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  const core = config.makeApiClient(package_.CoreV1Api);
  const policies = config.makeApiClient(package_.NetworkingV1Api);
  const classes = config.makeApiClient(package_.NodeV1Api);
  const access = config.makeApiClient(package_.AuthorizationV1Api);
  const versions = config.makeApiClient(package_.VersionApi);
  const call = <T>(action: string, request: Promise<T>) => waitFor(action, server, request);
  return {
    namespace,
    server,
    createPod: (body, isTrial = false) =>
      call('create a pod', core.createNamespacedPod({ namespace, body, ...(isTrial ? { dryRun: 'All' } : {}) })),
    readPod: (name) => call('read a pod', orMissing(core.readNamespacedPod({ namespace, name }))),
    async deletePod(name) {
      await call('delete a pod', orMissing(core.deleteNamespacedPod({ namespace, name })));
    },
    listPods: async (labelSelector) =>
      (await call('list pods', core.listNamespacedPod({ namespace, labelSelector }))).items,
    async listWarnings(pod) {
      const fieldSelector = `involvedObject.name=${pod},type=Warning`;
      const { items } = await call('list events', core.listNamespacedEvent({ namespace, fieldSelector }));
      return items.sort((a, b) => toTime(b) - toTime(a)).map(({ reason, message }) => `${reason}: ${message}`);
    },
    listPolicies: async () =>
      (await call('list network policies', policies.listNamespacedNetworkPolicy({ namespace }))).items,
    async findClasses(handler) {
      const found = await call('list runtime classes', orForbidden(classes.listRuntimeClass()));
      return found?.items.flatMap((each) => (each.handler === handler ? [each.metadata?.name ?? ''] : []));
    },
    async isAllowed(permission) {
      const resourceAttributes = { namespace, ...permission };
      const body = { spec: { resourceAttributes } };
      const review = await call('check permissions', access.createSelfSubjectAccessReview({ body }));
      return review.status?.allowed === true;
    },
    readVersion: async () => (await call('read the version', versions.getCode())).gitVersion,
    connect: (pod, container, command) =>
      openPodStream({
        handler: new package_.Exec(config).handler,
        ...{ namespace, pod, container, command },
        wait: (request) => call(command ? 'run a command in a pod' : 'connect to a pod', request),
      }),
  };
}

function toTime({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  return new Date(lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? 0).getTime();
}

const orMissing = <T>(request: Promise<T>): Promise<T | undefined> => without(404, request);
const orForbidden = <T>(request: Promise<T>): Promise<T | undefined> => without(403, request);

async function without<T>(code: number, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (toCode(error) === code) return undefined;
    throw error;
  }
}

function toCode(error: unknown): number | undefined {
  return (error as { code?: unknown }).code as number | undefined;
}

async function waitFor<T>(action: string, server: string, request: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${REQUEST_MS / 1_000} seconds`)), REQUEST_MS);
  });
  try {
    return await Promise.race([request, late]);
  } catch (cause) {
    throw toError({ action, server, cause });
  } finally {
    clearTimeout(timer);
  }
}

function toError({ action, server, cause }: { action: string; server: string; cause: unknown }): KlausError {
  const code = toCode(cause);
  const isAnswer = typeof code === 'number';
  const reason = isAnswer ? toMessage(cause) : toReason(cause);
  const status = isAnswer ? ` (HTTP ${code})` : '';
  const hint = isAnswer
    ? 'Type `klaus doctor`, which checks the namespace and the permissions of this process.'
    : `Check that this machine reaches ${server}.`;
  return new KlausError('sandbox.failed', `Kubernetes: cannot ${action}${status}: ${reason}`, { hint, cause });
}

/** The message of the status that the API server sent. */
function toMessage(error: unknown): string {
  const { body, message } = error as { body?: unknown; message?: string };
  try {
    const status: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    const text = (status as { message?: unknown } | null)?.message;
    if (typeof text === 'string' && text !== '') return text;
  } catch {
    // The body is no status, as that of a proxy.
  }
  return message ?? 'unknown error';
}

/** The innermost message of a failed connection. */
function toReason(error: unknown): string {
  const { cause, message } = error as { cause?: unknown; message?: unknown };
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return typeof message === 'string' && message !== '' ? message : String(error);
}
