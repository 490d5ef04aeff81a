import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { V1Pod } from '@kubernetes/client-node';
import { bootId } from '../background/process-files.ts';
import { isGone, ownName } from '../process/owner.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { PodNames } from './pod-plan.ts';

/** Labels of every pod of the sandbox. A network policy selects the first one. */
export const POD_LABELS = { 'app.kubernetes.io/name': 'klaus-sandbox', 'app.kubernetes.io/managed-by': 'klaus' };
const SELECTOR = `app.kubernetes.io/name=${POD_LABELS['app.kubernetes.io/name']}`;
const OWNER = 'klaus.owner';

export type PodPurpose = { workspace: string; session?: string; owner: PodNames['owner'] };

/** The name, the labels and the annotations of a new pod. @param id A part of the name that no other pod has. */
export function toPodNames({ workspace, session, owner }: PodPurpose, id: string): PodNames {
  return {
    name: `klaus-${id}`,
    labels: {
      ...POD_LABELS,
      'klaus.worker': toLabel(hostname()),
      ...(session === undefined ? {} : { 'klaus.session': toLabel(session) }),
    },
    annotations: { 'klaus.workspace': workspace, [OWNER]: toOwner() },
    owner,
  };
}

/** This process, also for processes on other machines. */
function toOwner(): string {
  return `${bootId()}/${ownName()}`;
}

/** A value of a label: a text that it cannot have is replaced by its hash. @source kubernetes.io/docs, Labels and Selectors */
function toLabel(text: string): string {
  if (/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(text)) return text;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A pod of the sandbox. */
export interface SandboxPod {
  name: string;
  /** Its phase in lower case, such as `running`, or `terminating`. */
  state: string;
  /** Empty for a command outside of a session. */
  session: string;
  workspace: string;
  /** True if no process uses it any more, as far as this machine knows. */
  isOrphan: boolean;
}

/** The pods of all processes in the namespace. @throws KlausError `sandbox.failed`. */
export async function listPods(cluster: ClusterClient): Promise<SandboxPod[]> {
  return (await cluster.listPods(SELECTOR)).map((pod) => {
    const { name = '', labels, annotations, deletionTimestamp } = pod.metadata ?? {};
    return {
      name,
      state: deletionTimestamp === undefined ? (pod.status?.phase ?? 'unknown').toLowerCase() : 'terminating',
      session: labels?.['klaus.session'] ?? '',
      workspace: annotations?.['klaus.workspace'] ?? '',
      isOrphan: isLeft(pod),
    };
  });
}

/**
 * Deletes the pods that no process uses any more: those that have ended, as pods do whose process was killed, and those of
 * an ended process on this machine.
 *
 * @returns The deleted ones. @throws KlausError `sandbox.failed`.
 */
export async function removeLeftPods(cluster: ClusterClient): Promise<SandboxPod[]> {
  const left = (await listPods(cluster)).filter(({ isOrphan }) => isOrphan);
  await Promise.all(left.map(({ name }) => cluster.deletePod(name)));
  return left;
}

function isLeft({ metadata, status }: V1Pod): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  const [boot, owner = ''] = (metadata?.annotations?.[OWNER] ?? '').split('/');
  return boot === bootId() && isGone(owner);
}

/** The pod in which this process runs, if it is one of the namespace. */
export async function findOwnPod(cluster: ClusterClient): Promise<PodNames['owner']> {
  if (process.env['KUBERNETES_SERVICE_HOST'] === undefined) return undefined;
  const own = await cluster.readPod(hostname()).catch(() => undefined);
  const { name, uid } = own?.metadata ?? {};
  return name === undefined || uid === undefined ? undefined : { name, uid };
}
