import type {
  V1Container,
  V1Pod,
  V1PodSpec,
  V1ResourceRequirements,
  V1SecurityContext,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { toEngineIdentity, type Identity } from '../container/identity.ts';
import { listMounts, NOTHING, toIdentities, type Mount, type MountedWorkspace } from '../container/mounts.ts';
import { checkShown } from '../paths.ts';
import type { KubernetesOptions } from './kubernetes-options.ts';
import { HOLDER_COMMAND, PREPARE_SCRIPT, SHELL_FOLDER } from './scripts.ts';
import { toVolumePath, type VolumeMapping } from './volumes.ts';

/** The container in which commands run. */
export const CONTAINER = 'commands';
/** Seconds for which a pod takes new commands. It is deleted after this time and the time limit of a command. */
export const LIFETIME_S = 3_600;

export interface PodRun extends MountedWorkspace {
  image: string;
  limits: ExecLimits;
  /** The owner of the workspace. */
  user: Identity;
  settings: Pick<KubernetesOptions, 'seccompProfile' | 'nodeSelector' | 'userNamespace'>;
  /** The name of a runtime class. */
  runtimeClass?: string;
  mappings: readonly VolumeMapping[];
  mountPoints: readonly string[];
}

/** What determines a pod. Two commands with the same key can use the same pod. */
export interface PodPlan {
  spec: V1PodSpec;
  key: string;
}

/**
 * The specification of the pod for a command.
 *
 * @throws KlausError `sandbox.failed` for a folder that a pod cannot have, and for a workspace of root.
 */
export function planPod(run: PodRun, request: ExecRequest): PodPlan {
  const { user, image, limits, settings } = run;
  checkShown(request, run.home);
  if (user.uid === 0 || user.gid === 0) {
    throw new KlausError('sandbox.failed', `The workspace ${run.view.target} belongs to root, which no pod may be.`, {
      hint: 'Give it to another user and group, those of the worker: `chown -R 1000:1000 FOLDER`.',
    });
  }
  const mounts = listMounts(run, request);
  const { volumes, volumeMounts } = toVolumes(mounts, run);
  const memory = `${Math.round(limits.memoryMb)}Mi`;
  const shell = { name: 'shell', mountPath: SHELL_FOLDER };
  const spec: V1PodSpec = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(settings.userNamespace === false ? {} : { hostUsers: false }),
    hostname: 'klaus',
    // Nothing answers there: a name cannot be resolved, and the attempt ends at once.
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
    activeDeadlineSeconds: LIFETIME_S + Math.ceil(limits.timeoutMs / 1_000),
    // The main process ignores SIGTERM. Without a time the API server would not wait for the end of the pod.
    terminationGracePeriodSeconds: 1,
    ...(run.runtimeClass === undefined ? {} : { runtimeClassName: run.runtimeClass }),
    ...(settings.nodeSelector?.length ? { nodeSelector: toLabels(settings.nodeSelector) } : {}),
    securityContext: { runAsNonRoot: true, seccompProfile: toSeccomp(settings.seccompProfile) },
    initContainers: [
      {
        ...toContainer({ name: 'shell', image, user: toEngineIdentity(user) }),
        command: ['/bin/sh', '-c', PREPARE_SCRIPT],
        resources: toResources({ cpus: 1, memoryMb: 64 }),
        volumeMounts: [shell],
      },
    ],
    containers: [
      {
        ...toContainer({ name: CONTAINER, image, user }),
        command: [...HOLDER_COMMAND],
        stdin: true,
        stdinOnce: true,
        workingDir: run.view.target,
        resources: toResources(limits),
        volumeMounts: [{ ...shell, readOnly: true }, { name: 'temporary', mountPath: '/tmp' }, ...volumeMounts],
      },
    ],
    volumes: [
      { name: 'shell', emptyDir: { sizeLimit: '64Mi' } },
      { name: 'temporary', emptyDir: { medium: 'Memory', sizeLimit: memory } },
      ...volumes,
    ],
  };
  return { spec, key: JSON.stringify([spec, toIdentities(mounts)]) };
}

/** The client declares classes for objects that are only data. */
type Plain<T> = Pick<T, keyof T>;

function toContainer({ name, image, user }: { name: string; image: string; user: Identity }): Plain<V1Container> {
  const securityContext: V1SecurityContext = {
    runAsNonRoot: true,
    runAsUser: user.uid,
    runAsGroup: user.gid,
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  return { name, image, imagePullPolicy: 'IfNotPresent', securityContext };
}

/** A pod waits most of the time, so it reserves little. A pod needs at least ten thousandths of a core. */
function toResources({ cpus, memoryMb }: Pick<ExecLimits, 'cpus' | 'memoryMb'>): V1ResourceRequirements {
  const cpu = Math.max(10, Math.round(cpus * 1_000));
  const memory = Math.round(memoryMb);
  return {
    limits: { cpu: `${cpu}m`, memory: `${memory}Mi` },
    requests: { cpu: `${Math.min(100, cpu)}m`, memory: `${Math.min(64, memory)}Mi` },
  };
}

function toSeccomp(file: string | undefined): { type: string; localhostProfile?: string } {
  return file === undefined ? { type: 'RuntimeDefault' } : { type: 'Localhost', localhostProfile: file };
}

function toLabels(rows: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    rows.map((row) => {
      const at = row.indexOf('=');
      return [row.slice(0, at), row.slice(at + 1)];
    }),
  );
}

/** An empty file for hidden files, and an empty folder for hidden folders. */
const HIDDEN: Record<'file' | 'folder', V1Volume> = {
  file: {
    name: 'hidden-file',
    downwardAPI: { items: [{ path: 'empty', fieldRef: { fieldPath: `metadata.annotations['klaus.empty']` } }] },
  },
  folder: { name: 'hidden-folder', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
};

function toVolumes(mounts: readonly Mount[], run: PodRun): { volumes: V1Volume[]; volumeMounts: V1VolumeMount[] } {
  const volumes = new Map<string, V1Volume>();
  const targets = new Map<string, V1VolumeMount>();
  let folders = 0;
  for (const { source, target, writable } of mounts) {
    if (target.includes(':')) {
      throw new KlausError('sandbox.failed', `${target} cannot be mounted in a pod: its path contains a colon.`, {
        hint: 'Rename it, or use bubblewrap.',
      });
    }
    let volume: V1Volume;
    let subPath = '';
    if (source === NOTHING) [volume, subPath] = [HIDDEN.file, 'empty'];
    else if (source !== undefined) ({ volume, subPath } = toVolumePath(source, run));
    else volume = writable ? { name: `empty-${folders++}`, emptyDir: HIDDEN.folder.emptyDir! } : HIDDEN.folder;
    volumes.set(volume.name, volume);
    const mount = { name: volume.name, mountPath: target, readOnly: !writable, ...(subPath === '' ? {} : { subPath }) };
    const other = targets.get(target);
    if (other && JSON.stringify(other) !== JSON.stringify(mount))
      throw new KlausError('sandbox.failed', `${target} would be mounted twice, in different ways.`);
    targets.set(target, mount);
  }
  // Parents come before the places in them.
  const ordered = [...targets.values()].sort((a, b) => a.mountPath.length - b.mountPath.length);
  return { volumes: [...volumes.values()], volumeMounts: ordered };
}

export interface PodNames {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** The pod of this process, with which the API server deletes the pods of the sandbox. */
  owner?: { name: string; uid: string };
}

export function toPod({ spec }: PodPlan, { name, labels, annotations, owner }: PodNames): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels,
      annotations: { ...annotations, 'klaus.empty': '' },
      ...(owner ? { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...owner }] } : {}),
    },
    spec,
  };
}
