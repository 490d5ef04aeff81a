import { describe, expect, test } from 'vitest';
import type { ExecRequest } from '@klaus/core/agent';
import { planPod, toPod, type PodRun } from './pod-plan.ts';
import { toPodNames } from './pods.ts';
import { parseVolumes } from './volumes.ts';

const LIMITS = { timeoutMs: 90_500, memoryMb: 512, cpus: 1.5, processes: 64 };

function toRun(more: Partial<PodRun> = {}): PodRun {
  return {
    ...{ image: 'registry.internal/tools:1', limits: LIMITS, user: { uid: 1000, gid: 1001 }, settings: {} },
    ...{ view: { source: '/projects/a', target: '/projects/a' }, home: '/data', masks: [], mountPoints: ['/'] },
    project: { home: '/data/cache/k/home', mounts: [] },
    protection: { external: [], pinned: [], readOnly: [] },
    mappings: parseVolumes(['/projects=claim:projects/sub', '/data/cache=claim:state']),
    ...more,
  };
}

const plan = (more: Partial<PodRun> = {}, request: Partial<ExecRequest> = {}) =>
  planPod(toRun(more), { command: 'true', ...request });

describe('the pod', () => {
  const { spec } = plan();
  const [main] = spec.containers;
  const [shell] = spec.initContainers!;

  test('has no identity in the cluster and no network names', () => {
    expect(spec).toMatchObject({
      ...{ automountServiceAccountToken: false, enableServiceLinks: false, hostUsers: false, restartPolicy: 'Never' },
      ...{ dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } },
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'serviceAccountName', 'nodeName'])
      expect(spec).not.toHaveProperty(key);
  });

  test('has no rights on its node, as the owner of the workspace', () => {
    const rights = {
      ...{ runAsNonRoot: true, privileged: false, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    };
    expect(main!.securityContext).toEqual({ ...rights, runAsUser: 1000, runAsGroup: 1001 });
    // The shell of the main process belongs to another user, so that commands cannot read it.
    expect(shell!.securityContext).toEqual({ ...rights, runAsUser: 65_534, runAsGroup: 65_534 });
    expect(spec.containers).toHaveLength(1);
    expect(main!.volumeMounts).toContainEqual({ name: 'shell', mountPath: '/.klaus', readOnly: true });
  });

  test('has limits, and ends by itself', () => {
    expect(main!.resources).toEqual({
      limits: { cpu: '1500m', memory: '512Mi' },
      requests: { cpu: '100m', memory: '64Mi' },
    });
    expect(main).toMatchObject({
      stdin: true,
      stdinOnce: true,
      imagePullPolicy: 'IfNotPresent',
      workingDir: '/projects/a',
    });
    expect(spec).toMatchObject({ activeDeadlineSeconds: 3_600 + 91, terminationGracePeriodSeconds: 1 });
    expect(spec.volumes).toContainEqual({ name: 'temporary', emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } });
    const small = plan({ limits: { ...LIMITS, cpus: 0.001, memoryMb: 32 } }).spec.containers[0]!.resources;
    expect(small).toEqual({ limits: { cpu: '10m', memory: '32Mi' }, requests: { cpu: '10m', memory: '32Mi' } });
  });

  test('follows the settings', () => {
    const settings = { seccompProfile: 'klaus/sandbox.json', nodeSelector: ['pool=agents'], userNamespace: false };
    const other = plan({ settings, runtimeClass: 'gvisor' }).spec;
    expect(other).toMatchObject({
      ...{ runtimeClassName: 'gvisor', nodeSelector: { pool: 'agents' } },
      securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'klaus/sandbox.json' } },
    });
    expect(other).not.toHaveProperty('hostUsers');
  });

  test('names its session, and belongs to the pod of the worker', () => {
    const owner = { name: 'klaus-worker-1', uid: 'u' };
    const { metadata } = toPod(plan(), toPodNames({ workspace: '/projects/a', session: 's 1', owner }, 'id'));
    expect(metadata).toMatchObject({
      name: 'klaus-id',
      labels: { 'app.kubernetes.io/name': 'klaus-sandbox', 'klaus.session': expect.stringMatching(/^[0-9a-f]{32}$/) },
      annotations: { 'klaus.workspace': '/projects/a', 'klaus.owner': expect.any(String) },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...owner }],
    });
  });
});

describe('mounts', () => {
  test('are paths of volumes, parents first, with the rights of the request', () => {
    const { spec } = plan(
      {
        protection: {
          external: [],
          pinned: [],
          readOnly: [{ source: '/projects/a/.git/config', target: '/projects/a/.git/config' }],
        },
      },
      { readable: ['/projects/b', '/projects/c'], writable: ['/projects/c'] },
    );
    const mounts = spec.containers[0]!.volumeMounts!.slice(2);
    expect(mounts).toEqual([
      { name: 'folder-0', mountPath: '/projects/b', subPath: 'sub/b', readOnly: true },
      { name: 'folder-0', mountPath: '/projects/c', subPath: 'sub/c', readOnly: false },
      { name: 'folder-0', mountPath: '/projects/a', subPath: 'sub/a', readOnly: false },
      { name: 'folder-0', mountPath: '/projects/a/.git/config', subPath: 'sub/a/.git/config', readOnly: true },
    ]);
    expect(spec.volumes).toContainEqual({ name: 'folder-0', persistentVolumeClaim: { claimName: 'projects' } });
    expect(JSON.stringify(spec.volumes)).not.toContain('"state"');
  });

  test('hide files and folders, which then cannot be changed', () => {
    const { spec } = plan({
      masks: [
        { target: '/projects/a/.env', isFolder: false },
        { target: '/projects/a/vault', isFolder: true },
      ],
    });
    const mounts = spec.containers[0]!.volumeMounts!;
    expect(mounts).toContainEqual({
      name: 'hidden-file',
      mountPath: '/projects/a/.env',
      subPath: 'empty',
      readOnly: true,
    });
    expect(mounts).toContainEqual({ name: 'hidden-folder', mountPath: '/projects/a/vault', readOnly: true });
    expect(spec.volumes?.find(({ name }) => name === 'hidden-file')).toHaveProperty('downwardAPI');
    expect(spec.volumes?.find(({ name }) => name === 'hidden-folder')).toHaveProperty('emptyDir');
  });

  test('determine which commands share a pod', () => {
    expect(plan().key).toBe(plan().key);
    expect(plan({}, { readable: ['/projects/b'] }).key).not.toBe(plan().key);
    expect(plan({ limits: { ...LIMITS, memoryMb: 256 } }).key).not.toBe(plan().key);
    expect(plan({ image: 'other' }).key).not.toBe(plan().key);
  });
});

test.each<[string, Partial<PodRun>, Partial<ExecRequest>]>([
  ['a workspace of root', { user: { uid: 0, gid: 1000 } }, {}],
  ['a workspace of the group root', { user: { uid: 1000, gid: 0 } }, {}],
  ['a folder on no volume', {}, { readable: ['/srv/other'] }],
  ["Klaus's own state", {}, { readable: ['/data/cache'] }],
  ['a path that is mounted in this process', { mountPoints: ['/', '/projects', '/projects/a'] }, {}],
  ['a path with a colon', { view: { source: '/projects/a:b', target: '/projects/a:b' } }, {}],
  ['a path with two mounts', { objects: ['/projects/a'] }, {}],
])('%s is refused', (_, more, request) => {
  expect(() => plan(more, request)).toThrow(expect.objectContaining({ code: 'sandbox.failed' }));
});
