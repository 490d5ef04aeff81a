import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KubeConfig, KubernetesObjectApi, CoreV1Api, loadAllYaml } from '@kubernetes/client-node';
import { eventually } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { COMMAND_IMAGE, makeImage, PAUSE_IMAGE } from './images.ts';
import { findPrograms, type Programs } from './programs.ts';
import { findPort, Services } from './services.ts';

/** The user of the worker in manifests, and a user with all rights. */
const USERS = { worker: 'system:serviceaccount:klaus:klaus-worker', admin: 'admin' } as const;
export const NODE = 'localhost';
/** The kubelet changes them. */
const KERNEL = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];
const MANIFEST = join(import.meta.dirname, '../../deploy/kubernetes-pods/sandbox.yaml');

export interface Cluster {
  /** Files for `KUBECONFIG`. */
  configs: Record<keyof typeof USERS, string>;
  admin: { core: CoreV1Api; objects: KubernetesObjectApi };
  services: Services;
  /** The folder of the seccomp profiles of the node. */
  profiles: string;
  image: string;
  startApiServer(): Promise<void>;
  close(): Promise<void>;
}

/** A cluster with one node, this machine, without a registry and a controller manager. Everything listens on 127.0.0.1. */
export async function startCluster(): Promise<{ cluster: Cluster } | { cluster?: undefined; reason: string }> {
  const found = findPrograms();
  if (!found.programs) return found;
  const folder = mkdtempSync('/var/tmp/klaus-kubernetes-');
  const services = new Services(folder);
  const kernel = KERNEL.map(
    (name) => [join('/proc/sys', name), readFileSync(join('/proc/sys', name), 'utf8')] as const,
  );
  const close = async () => {
    await deletePods(join(folder, 'admin.config'));
    await removePods(found.programs, folder);
    for (const name of ['kubelet', 'kube-scheduler', 'kube-apiserver', 'etcd', 'containerd']) await services.stop(name);
    for (const [file, text] of kernel) writeFileSync(file, text);
    removeMounts(folder);
    removeGroups();
    if (process.env['KLAUS_KUBERNETES_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { cluster: { ...(await start(folder, services, found.programs)), close } };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(folder: string, services: Services, programs: Programs): Promise<Omit<Cluster, 'close'>> {
  const [etcd, peer, api, kubelet] = await Promise.all([findPort(), findPort(), findPort(), findPort()]);
  const server = `https://127.0.0.1:${api}`;
  const at = (name: string) => join(folder, name);
  writeFileSync(
    at('tokens.csv'),
    Object.entries(USERS)
      .map(([token, user]) => `${token},${user},${token}${token === 'admin' ? ',system:masters' : ''}\n`)
      .join(''),
    { mode: 0o600 },
  );
  const configs = { worker: at('worker.config'), admin: at('admin.config') };
  for (const token of ['worker', 'admin'] as const)
    writeFileSync(configs[token], toConfig(server, token), { mode: 0o600 });
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('account.key'), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(at('account.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  services.start('etcd', programs.etcd, [
    ...[`--data-dir=${at('etcd')}`, `--listen-client-urls=http://127.0.0.1:${etcd}`, '--unsafe-no-fsync'],
    ...[`--advertise-client-urls=http://127.0.0.1:${etcd}`, `--listen-peer-urls=http://127.0.0.1:${peer}`],
    ...[`--initial-advertise-peer-urls=http://127.0.0.1:${peer}`, `--initial-cluster=default=http://127.0.0.1:${peer}`],
  ]);
  await startContainerd(folder, services, programs);
  const client = new KubeConfig();
  client.loadFromFile(configs.admin);
  const core = client.makeApiClient(CoreV1Api);
  const startApiServer = async () => {
    services.start('kube-apiserver', programs['kube-apiserver'], [
      ...[`--etcd-servers=http://127.0.0.1:${etcd}`, '--bind-address=127.0.0.1', `--secure-port=${api}`],
      ...[`--cert-dir=${at('certificates')}`, `--token-auth-file=${at('tokens.csv')}`, '--authorization-mode=RBAC'],
      ...['--service-cluster-ip-range=10.250.0.0/24', '--service-account-issuer=https://klaus.test'],
      ...[`--service-account-key-file=${at('account.pub')}`, `--service-account-signing-key-file=${at('account.key')}`],
      // There is no controller manager, which creates service accounts and removes taints of new nodes.
      ...[
        '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
        '--kubelet-preferred-address-types=Hostname',
      ],
    ]);
    await until(services, 'kube-apiserver', async () => (await core.listNamespace()).items.length > 0);
  };
  await startApiServer();
  writeFileSync(at('kubelet.yaml'), JSON.stringify(toKubeletConfig(folder, kubelet)));
  services.start('kubelet', programs.kubelet, [
    ...[`--config=${at('kubelet.yaml')}`, `--kubeconfig=${configs.admin}`, `--root-dir=${at('kubelet')}`],
    ...[`--cert-dir=${at('kubelet-certificates')}`, `--hostname-override=${NODE}`],
  ]);
  services.start('kube-scheduler', programs['kube-scheduler'], [
    ...[`--kubeconfig=${configs.admin}`, `--authentication-kubeconfig=${configs.admin}`, '--leader-elect=false'],
    ...[`--authorization-kubeconfig=${configs.admin}`, '--bind-address=127.0.0.1', `--secure-port=${await findPort()}`],
  ]);
  const isReady = async () => {
    const { status } = await core.readNode({ name: NODE });
    return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  };
  await until(services, 'kubelet', isReady);
  const objects = KubernetesObjectApi.makeApiClient(client);
  await core.createNamespace({
    body: { metadata: { name: 'klaus', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
  });
  for (const each of loadAllYaml(readFileSync(MANIFEST, 'utf8'))) await objects.create(each);
  mkdirSync(at('kubelet/seccomp'), { recursive: true });
  return {
    configs,
    admin: { core, objects },
    services,
    profiles: at('kubelet/seccomp'),
    image: COMMAND_IMAGE,
    startApiServer,
  };
}

async function startContainerd(folder: string, services: Services, programs: Programs): Promise<void> {
  const at = (name: string) => join(folder, name);
  mkdirSync(at('cni'));
  const ipam = { type: 'host-local', subnet: '10.249.0.0/24', dataDir: at('addresses') };
  const plugins = [{ type: 'ptp', ipMasq: false, ipam }];
  writeFileSync(at('cni/net.conflist'), JSON.stringify({ cniVersion: '0.4.0', name: 'klaus', plugins }));
  writeFileSync(
    at('containerd.toml'),
    `version = 2
root = "${at('containerd')}"
state = "${at('containerd-state')}"
[grpc]
  address = "${at('containerd.sock')}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  stream_server_address = "127.0.0.1"
  # Not every root may protect processes from the kernel.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${programs.plugins}"
    conf_dir = "${at('cni')}"
`,
  );
  services.start('containerd', programs.containerd, ['--config', at('containerd.toml')]);
  const ctr = (...args: string[]) => spawnSync(programs.ctr, ['-a', at('containerd.sock'), '-n', 'k8s.io', ...args]);
  await until(services, 'containerd', async () => ctr('version').status === 0);
  const images = [
    { name: PAUSE_IMAGE, entry: ['/bin/sleep', '1000000'] },
    { name: COMMAND_IMAGE, entry: ['/bin/sh'] },
  ];
  for (const { name, entry } of images) {
    const place = at(name.replace(/\W/g, '-'));
    mkdirSync(place);
    const file = makeImage(place, { name, entry, busybox: programs.busybox });
    const { status, stderr } = ctr('images', 'import', file);
    if (status !== 0) throw new Error(`ctr images import: ${stderr.toString()}`);
  }
}

function toConfig(server: string, token: string): string {
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: token, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: token, namespace: 'klaus' } }],
  });
}

function toKubeletConfig(folder: string, port: number): object {
  return {
    ...{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
    ...{ address: '127.0.0.1', port, readOnlyPort: 0, healthzPort: 0 },
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${join(folder, 'containerd.sock')}`,
    ...{
      cgroupDriver: 'cgroupfs',
      failCgroupV1: false,
      failSwapOn: false,
      oomScoreAdj: 0,
      makeIPTablesUtilChains: false,
    },
    ...{ enforceNodeAllocatable: [], podPidsLimit: 200, clusterDNS: [], volumePluginDir: join(folder, 'plugins') },
    evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    podLogsDir: join(folder, 'pod-logs'),
    ...{ syncFrequency: '2s', nodeStatusUpdateFrequency: '4s', serializeImagePulls: false },
  };
}

async function until(services: Services, name: string, isTrue: () => Promise<boolean>): Promise<void> {
  const attempt = async () => {
    services.check(name);
    return isTrue().catch(() => false);
  };
  if (!(await eventually(attempt, 20_000))) throw new Error(`${name} is not ready: ${services.readLog(name)}`);
}

/** Lets the kubelet remove the pods with their networks. */
async function deletePods(config: string): Promise<void> {
  const client = new KubeConfig();
  try {
    client.loadFromFile(config);
    const core = client.makeApiClient(CoreV1Api);
    await core.deleteCollectionNamespacedPod({ namespace: 'klaus' });
    await eventually(async () => (await core.listNamespacedPod({ namespace: 'klaus' })).items.length === 0, 4_000);
  } catch {
    // The API server did not start, or a test has stopped it.
  }
}

/** Ends the containers that are left, so that their mounts and networks are released. */
async function removePods({ ctr }: Programs, folder: string): Promise<void> {
  const run = (...args: string[]) =>
    spawnSync(ctr, ['-a', join(folder, 'containerd.sock'), '-n', 'k8s.io', ...args], {
      encoding: 'utf8',
      timeout: 20_000,
    });
  for (const id of (run('tasks', 'list', '--quiet').stdout ?? '').split('\n').filter(Boolean)) {
    run('tasks', 'kill', '--signal', 'SIGKILL', id);
    run('tasks', 'delete', '--force', id);
  }
}

function removeMounts(folder: string): void {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  for (const point of points.filter((each) => each.startsWith(`${folder}/`)).reverse())
    spawnSync('umount', ['-l', point], { stdio: 'ignore' });
}

/** The kubelet leaves its control groups. */
function removeGroups(): void {
  const root = '/sys/fs/cgroup';
  for (const name of existsSync(root) ? ['.', ...readdirSync(root)] : []) removeTree(join(root, name, 'kubepods'));
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // A process is still in it.
  }
}
