// Covers adapters/sandboxes/kubernetes, deploy/kubernetes-pods: the sandbox in a cluster with one node.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import {
  closeIdleContainers,
  createSandbox,
  probeSandboxes,
  type CreateSandboxOptions,
} from '@klaus/adapters/sandboxes';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KubernetesSandbox } from '../../adapters/sandboxes/kubernetes/kubernetes-sandbox.ts';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { NODE, startCluster, type Cluster } from './cluster.fixture.ts';

const started = await startCluster();
const outer = process.env['KUBECONFIG'];
let cluster: Cluster;
let root: string;
let place: { workspace: string; home: string };

beforeAll(() => {
  if (started.cluster) cluster = started.cluster;
});
afterAll(async () => {
  if (outer === undefined) delete process.env['KUBECONFIG'];
  else process.env['KUBECONFIG'] = outer;
  await started.cluster?.close();
});
beforeEach(() => {
  process.env['KUBECONFIG'] = cluster.configs.worker;
  root = mkdtempSync('/var/tmp/klaus-pods-');
  chmodSync(root, 0o755);
  place = { workspace: join(root, 'project'), home: join(root, 'state') };
  for (const folder of [place.workspace, place.home]) mkdirSync(folder);
  chownSync(place.workspace, 1234, 1234);
});
afterEach(async () => {
  await closeIdleContainers();
  rmSync(root, { recursive: true, force: true });
});

const toKubernetes = () => ({
  ...{ volumes: [`${root}=host:${root}`], enforcesPolicies: true, userNamespace: false },
  nodeSelector: [`kubernetes.io/hostname=${NODE}`],
});

function open(more: Partial<CreateSandboxOptions> = {}) {
  const options = { choice: 'kubernetes' as const, image: cluster.image, kubernetes: toKubernetes() };
  const masks = async () => [join(place.workspace, '.env'), join(place.workspace, 'vault')];
  return createSandbox({ ...place, ...options, masks, limits: { memoryMb: 128 }, ...more });
}

function openShort(more: Partial<CreateSandboxOptions>) {
  const options = { ...place, image: cluster.image, kubernetes: toKubernetes(), ...more };
  return new KubernetesSandbox({ ...options, times: { start: 5_000, end: 30_000 } });
}

async function run(command: ExecRequest['command'], more: Partial<ExecRequest> = {}) {
  return (await open({ session: 'one' })).exec({ command, ...more });
}

/** The client declares classes for objects that are only data. */
const plain = <T extends object>(value: T): Pick<T, keyof T> => value;

const listPods = async () => (await cluster.admin.core.listNamespacedPod({ namespace: 'klaus' })).items;

describe.skipIf(!started.cluster)(`kubernetes ${started.cluster ? '' : `(${started.reason})`}`, () => {
  test('the manifests give the worker what it needs, and no more', async () => {
    const kubernetes = toKubernetes();
    const find = async () =>
      (await probeSandboxes({ home: place.home, image: cluster.image, kubernetes })).find(
        ({ name }) => name === 'kubernetes',
      );
    expect(await find()).toMatchObject({ available: true, detail: expect.stringContaining('Kubernetes v1.') });
    const { core } = cluster.admin;
    const reviews = ['secrets', 'configmaps', 'nodes', 'services'].map((resource) => ({ resource, verb: 'list' }));
    const { KubeConfig, AuthorizationV1Api } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromFile(cluster.configs.worker);
    const access = config.makeApiClient(AuthorizationV1Api);
    for (const resourceAttributes of [...reviews, { resource: 'pods', verb: 'create', namespace: 'default' }]) {
      const { status } = await access.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes } } });
      expect([resourceAttributes, status?.allowed]).toEqual([resourceAttributes, false]);
    }
    expect(
      await probeSandboxes({ home: place.home, kubernetes: { ...kubernetes, runtimeClass: 'absent' } }),
    ).toContainEqual(
      expect.objectContaining({ name: 'kubernetes', available: false, reason: expect.stringContaining('absent') }),
    );
    expect((await core.listNamespacedPod({ namespace: 'klaus' })).items).toEqual([]);
  });

  test('commands pass input, words, exit codes and long output', async () => {
    expect(await run(['printf', '%s|', 'a b', '$HOME'])).toMatchObject({ stdout: 'a b|$HOME|', exitCode: 0 });
    const both = await run('cat; echo e >&2; exit 7', { stdin: 'größe' });
    expect(both).toMatchObject({ stdout: 'größe', stderr: 'e\n', exitCode: 7 });
    expect(await run(['no-such-program'])).toMatchObject({ exitCode: 127 });
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143 });
    const input = 'x'.repeat(3_000_000);
    expect((await run('cat | wc -c', { stdin: input })).stdout.trim()).toBe('3000000');
    const long = await run('yes | head -c 3000000', { keepBytes: 1_000 });
    expect(long).toMatchObject({ truncated: true, exitCode: 0 });
    let bytes = 0;
    await run('yes | head -c 3000000', { onOutput: (chunk) => (bytes += chunk.length) });
    expect(bytes).toBe(3_000_000);
    expect(await listPods()).toHaveLength(1);
  });

  test('a command has the workspace as its owner, and no rights, token or other files', async () => {
    writeFileSync(join(place.home, 'klaus.db'), 'secret');
    const result = await run(
      `pwd; id -u; id -g; echo new > made; touch /x /bin/x; cat ${place.home}/klaus.db; ls /var/run/secrets;
       grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; env | grep KUBERNETES; cat /etc/resolv.conf`,
    );
    const [folder, uid, gid, ...rest] = result.stdout.trim().split('\n');
    expect([folder, uid, gid]).toEqual([place.workspace, '1234', '1234']);
    expect(rest.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      'CapEff: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'nameserver 127.0.0.1',
    ]);
    expect(result.stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect(readFileSync(join(place.workspace, 'made'), 'utf8')).toBe('new\n');
  });

  test('hidden files are empty, and protected places do not change', async () => {
    writeFileSync(join(place.workspace, '.env'), 'KEY=secret');
    mkdirSync(join(place.workspace, 'vault'));
    writeFileSync(join(place.workspace, 'vault/key'), 'secret');
    execFileSync('git', ['init', '-q', place.workspace]);
    rmSync(join(place.workspace, '.git/hooks'), { recursive: true });
    const kept = join(place.workspace, 'kept');
    writeFileSync(kept, 'one');
    execFileSync('chown', ['-R', '1234:1234', place.workspace]);
    const config = join(place.workspace, '.git/config');
    const before = readFileSync(config, 'utf8');
    const result = await run(
      `cat .env vault/key; umount .env; cat .env; echo x > .env; echo x > vault/new; echo x >> .git/config;
       mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; mkdir .klaus/x; rm -rf .git/config; mv .git git2;
       echo x > kept; echo x > free; ls .git/config`,
      { protect: [kept] },
    );
    expect(result.output).not.toContain('secret');
    expect(result.stdout).toBe('.git/config\n');
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(readFileSync(kept, 'utf8')).toBe('one');
    expect(readFileSync(join(place.workspace, '.env'), 'utf8')).toBe('KEY=secret');
    expect(readFileSync(join(place.workspace, 'free'), 'utf8')).toBe('x\n');
    await closeIdleContainers();
    const left = ['.git/hooks', '.git/commondir', '.klaus'].filter((name) => existsSync(join(place.workspace, name)));
    expect(left).toEqual([]);
  });

  test('folders of a grant are shown with its rights', async () => {
    const [readable, writable] = [join(root, 'readable'), join(root, 'writable')];
    for (const folder of [readable, writable]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'a'), 'text');
      execFileSync('chown', ['-R', '1234:1234', folder]);
    }
    const command = `cat ${readable}/a; echo x > ${readable}/b; echo x > ${writable}/b`;
    expect(await run(command, { readable: [readable, writable], writable: [writable] })).toMatchObject({
      stdout: 'text',
    });
    expect([existsSync(join(readable, 'b')), existsSync(join(writable, 'b'))]).toEqual([false, true]);
    expect((await run(`ls ${readable}`)).exitCode).not.toBe(0);
  });

  test('the main process of a pod can be neither ended nor read', async () => {
    const result = await run(
      `kill -KILL 1; kill -STOP 1; kill -TERM 1; cat /.klaus/sh | head -c 4; cat /proc/1/environ; ls /proc/1/fd;
       dd if=/proc/1/mem bs=1 count=1; echo 1 count > /proc/1/fd/0; echo '9 1 1 1 1' > /proc/1/fd/1; echo on`,
    );
    expect(result).toMatchObject({ stdout: 'on\n', exitCode: 0 });
    expect(result.stderr.match(/Permission denied|can't open/g)!.length).toBeGreaterThanOrEqual(5);
    expect(await run('echo again')).toMatchObject({ stdout: 'again\n' });
    expect(await listPods()).toHaveLength(1);
  });

  test('a command ends at its time limit and when it is cancelled, with all of its processes', async () => {
    const late = await run('sleep 4711 & setsid sleep 4711; echo never', { limits: { timeoutMs: 1_000 } });
    expect(late).toMatchObject({ timedOut: true, stdout: '' });
    expect(findProcesses('4711')).toEqual([]);
    const control = new AbortController();
    const stubborn = await run("trap '' TERM; echo on; while :; do sleep 4712; done", {
      signal: control.signal,
      onOutput: () => control.abort(),
    });
    expect(stubborn).toMatchObject({ cancelled: true, stdout: 'on\n' });
    expect(findProcesses('4712')).toEqual([]);
  });

  test('a pod is used again only as the first command found it', async () => {
    await run('setsid sleep 4713 & echo on');
    expect(findProcesses('4713')).toEqual([]);
    const [first] = await listPods();
    await run('setsid sleep 4714 >/dev/null 2>&1 </dev/null & kill -9 $PPID');
    expect(findProcesses('4714')).toEqual([]);
    await run('echo x > /tmp/left');
    expect((await run('ls -A /tmp')).stdout).toBe('');
    const [second, ...more] = await listPods();
    expect(more).toEqual([]);
    expect(second?.metadata?.name).not.toBe(first?.metadata?.name);
    await closeIdleContainers();
    expect(await eventually(async () => (await listPods()).length === 0, 1_000)).toBe(true);
  });

  test('limits of memory and processes hold', async () => {
    const full = await run('head -c 400000000 /dev/zero | tail; echo end');
    expect(full.exceeded).toEqual([expect.stringContaining('memory')]);
    const many = await run('for i in $(seq 400); do sleep 30 & done; ls -d /proc/[0-9]* | wc -l', {
      limits: { timeoutMs: 20_000 },
    });
    expect(Number(many.stdout.trim() || 0)).toBeLessThan(220);
    expect((await run('echo on')).stdout).toBe('on\n');
  });

  test('the profile of the node applies', async () => {
    const profile = join(import.meta.dirname, `../../deploy/kubernetes-pods/seccomp-${process.arch}.json`);
    copyFileSync(profile, join(cluster.profiles, 'sandbox.json'));
    const sandbox = await open({ kubernetes: { ...toKubernetes(), seccompProfile: 'sandbox.json' } });
    const result = await sandbox.exec({ command: 'grep Seccomp: /proc/self/status; unshare -U true' });
    expect(result.stdout).toMatch(/Seccomp:\s+2/);
    expect(result.exitCode).not.toBe(0);
    expect(result.unenforced.join()).not.toContain('system calls');
    const other = await open({ kubernetes: { ...toKubernetes(), seccompProfile: 'absent.json' } });
    await expect(other.exec({ command: 'true' })).rejects.toMatchObject({
      code: 'sandbox.failed',
      message: expect.stringContaining('absent.json'),
    });
  });

  test('a claim is a volume of the worker and of its pods', async () => {
    const { core } = cluster.admin;
    const spec = { accessModes: ['ReadWriteMany'], storageClassName: '' };
    const claimRef = { namespace: 'klaus', name: 'workspaces' };
    await core.createPersistentVolume({
      body: {
        metadata: { name: 'workspaces' },
        spec: { ...spec, claimRef, capacity: { storage: '1Gi' }, hostPath: { path: root } },
      },
    });
    const resources = { requests: { storage: '1Gi' } };
    const body = { metadata: { name: 'workspaces' }, spec: { ...spec, resources, volumeName: 'workspaces' } };
    const claim = await core.createNamespacedPersistentVolumeClaim({ namespace: 'klaus', body });
    // A controller manager would bind it.
    const bound = { phase: 'Bound', accessModes: spec.accessModes, capacity: { storage: '1Gi' } };
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await core.replaceNamespacedPersistentVolumeClaimStatus({
      ...{ name: 'workspaces', namespace: 'klaus' },
      body: { ...plain(claim), status: bound },
    });
    const current = await core.readNamespacedPersistentVolumeClaim({ name: 'workspaces', namespace: 'klaus' });
    await core.replaceNamespacedPersistentVolumeClaim({
      ...{ name: 'workspaces', namespace: 'klaus' },
      body: { ...plain(current), metadata: { ...plain(current.metadata!), annotations } },
    });
    const volume = await core.readPersistentVolume({ name: 'workspaces' });
    const ref = { ...plain(volume.spec!.claimRef!), uid: claim.metadata!.uid! };
    await core.replacePersistentVolume({
      name: 'workspaces',
      body: { ...plain(volume), spec: { ...plain(volume.spec!), claimRef: ref } },
    });
    const sandbox = await open({ kubernetes: { ...toKubernetes(), volumes: [`${root}=claim:workspaces`] } });
    expect(await sandbox.exec({ command: 'echo new > made; pwd' })).toMatchObject({ stdout: `${place.workspace}\n` });
    expect(existsSync(join(place.workspace, 'made'))).toBe(true);
  });

  test('a pod that cannot start names the reason of the cluster, and is deleted', async () => {
    const reject = async (more: Partial<CreateSandboxOptions>, message: RegExp) =>
      expect(openShort(more).exec({ command: 'true' })).rejects.toMatchObject({
        code: 'sandbox.failed',
        message: expect.stringMatching(message),
      });
    await reject({ image: '127.0.0.1:9/absent:1' }, /ErrImagePull|ImagePullBackOff/);
    await reject({ kubernetes: { ...toKubernetes(), runtimeClass: 'absent' } }, /runtimeclass|RuntimeClass/i);
    await reject({ kubernetes: { ...toKubernetes(), volumes: [`${root}=claim:absent`] } }, /FailedScheduling.*absent/);
    await reject({ kubernetes: { ...toKubernetes(), nodeSelector: ['pool=absent'] } }, /FailedScheduling.*selector/);
    await reject({ kubernetes: { ...toKubernetes(), userNamespace: true } }, /user namespaces/i);
    chownSync(place.workspace, 0, 0);
    await reject({}, /belongs to root/);
    expect(await listPods()).toEqual([]);
  });

  test('a policy that allows something, and a missing permission, stop commands', async () => {
    const { objects } = cluster.admin;
    const policy = {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'open', namespace: 'klaus' } },
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
    };
    await objects.create(policy);
    await expect(run('true')).rejects.toMatchObject({ message: expect.stringContaining('`open` allows') });
    await objects.delete(policy);
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'klaus-sandbox', namespace: 'klaus' },
    };
    const before = await objects.read(binding);
    await objects.delete(binding);
    const refused = async () => (await run('true').catch((error: Error) => error.message)) as string;
    expect(await eventually(async () => /HTTP 403/.test(await refused()), 100)).toBe(true);
    const { resourceVersion: _, uid: __, ...metadata } = before.metadata as Record<string, unknown>;
    await objects.create({ ...before, metadata } as never);
    expect(await eventually(async () => (await run('true').catch(() => undefined)) !== undefined, 100)).toBe(true);
  });

  test('the pod of a killed worker ends, and the next worker deletes it', async () => {
    const options = { ...place, choice: 'kubernetes', image: cluster.image, kubernetes: toKubernetes() };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'worker.fixture.ts'), JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(findProcesses('4715')).not.toEqual([]);
    child.kill('SIGKILL');
    expect(await eventually(() => findProcesses('4715').length === 0, 2_000)).toBe(true);
    const isOver = async () => (await listPods()).every(({ status }) => status?.phase !== 'Running');
    expect(await eventually(isOver, 1_000)).toBe(true);
    expect(await listPods()).toHaveLength(1);
    await run('true');
    expect(await eventually(async () => (await listPods()).length === 1, 1_000)).toBe(true);
    expect((await listPods())[0]?.metadata?.labels?.['klaus.session']).toBe('one');
  });

  test('a pod that is deleted during a command is a failure', async () => {
    const { core } = cluster.admin;
    const deleted = run('echo on; sleep 4716', {
      onOutput: () => void core.deleteCollectionNamespacedPod({ namespace: 'klaus' }),
    });
    await expect(deleted).rejects.toMatchObject({ code: 'sandbox.failed' });
    expect(findProcesses('4716')).toEqual([]);
    expect(await run('echo on')).toMatchObject({ stdout: 'on\n' });
  });

  // The last one: it stops the API server.
  test('an API server that is lost during a command is reported, and the processes end', async () => {
    const lost = run('echo on; sleep 4717', {
      onOutput: () => void cluster.services.stop('kube-apiserver', 'SIGKILL'),
    });
    await expect(lost).rejects.toMatchObject({ code: 'sandbox.failed' });
    expect(await eventually(() => findProcesses('4717').length === 0, 2_000)).toBe(true);
    await cluster.startApiServer();
    expect(await eventually(async () => (await run('echo on').catch(() => undefined))?.stdout === 'on\n', 200)).toBe(
      true,
    );
  });
});
