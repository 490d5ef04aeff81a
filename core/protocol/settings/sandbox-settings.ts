import { z } from 'zod';
import { sandboxNameSchema } from '../authority/mode.ts';
import { atMost, atMostOr, neverHost, only, subset } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** Longest time, in milliseconds: a day. */
const DAY_MS = 86_400_000;

export const SANDBOX_SETTINGS = {
  'sandbox.driver': defineSetting({
    schema: sandboxNameSchema,
    env: 'KLAUS_SANDBOX',
    unset: 'the best driver that works on this machine, never host',
    description: 'Sandbox driver for commands. `host` runs them without a sandbox.',
    project: neverHost,
  }),
  'sandbox.timeoutMs': defineSetting({
    schema: z.int().min(1).max(DAY_MS),
    default: 120_000,
    env: 'KLAUS_SANDBOX_TIMEOUT_MS',
    description:
      'Milliseconds that a command may run. A call may ask for up to 600,000, or for this value if it is larger.',
    project: atMost,
  }),
  'sandbox.memoryMb': defineSetting({
    schema: z.int().min(16),
    env: 'KLAUS_SANDBOX_MEMORY_MB',
    unset: "half of the machine's memory",
    description: 'Memory of a command in MiB. A call may ask for less.',
    project: atMostOr(1_024),
  }),
  'sandbox.cpus': defineSetting({
    schema: z.number().min(0.01),
    env: 'KLAUS_SANDBOX_CPUS',
    unset: 'all cores but one',
    description: 'CPU cores of a command.',
    project: atMostOr(1),
  }),
  'sandbox.processes': defineSetting({
    schema: z.int().min(1),
    default: 256,
    env: 'KLAUS_SANDBOX_PROCESSES',
    description: 'Number of processes of a command.',
    project: atMost,
  }),
  'sandbox.image': defineSetting({
    schema: z.string().regex(/^[a-z0-9][\w./:@-]*$/),
    env: 'KLAUS_SANDBOX_IMAGE',
    unset: '`klaus-sandbox`',
    values: 'an image reference',
    description:
      'Image of the Docker and the Kubernetes sandbox. `klaus sandbox build` creates the default one for Docker.',
  }),
  'sandbox.hostPaths': defineSetting({
    schema: z.array(z.string().regex(/^\/[^=]*=\/.*$/)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_HOST_PATHS',
    values: 'folders, each as `/here=/there`',
    description:
      'Where folders of this machine are for the Docker engine, if Klaus runs in a container and the engine outside. The mounts of the container are found without it.',
  }),
  'sandbox.kubernetes.namespace': defineSetting({
    schema: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
    env: 'KLAUS_SANDBOX_KUBERNETES_NAMESPACE',
    unset: 'that of the service account or of `KUBECONFIG`',
    values: 'a name in lower case',
    description: 'Namespace of the pods of the Kubernetes sandbox.',
  }),
  'sandbox.kubernetes.volumes': defineSetting({
    schema: z.array(z.string().regex(/^\/[^=]*=(?:claim:[a-z0-9][a-z0-9.-]*(?:\/.*)?|host:\/.*)$/)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_KUBERNETES_VOLUMES',
    values: 'folders, each as `/folder=claim:NAME/path` or `/folder=host:/path`',
    description:
      'Volumes on which folders of this machine are for the pods of the Kubernetes sandbox: a persistent volume claim, or a folder of the node. The folders of the projects and `KLAUS_HOME/cache` are necessary.',
  }),
  'sandbox.kubernetes.runtimeClass': defineSetting({
    schema: z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
    env: 'KLAUS_SANDBOX_KUBERNETES_RUNTIME_CLASS',
    unset: 'a class of gVisor (handler `runsc`), if the cluster has one',
    values: 'the name of a runtime class, or `none`',
    description: 'Runtime class of the pods of the Kubernetes sandbox.',
  }),
  'sandbox.kubernetes.seccompProfile': defineSetting({
    schema: z.string().regex(/^[\w.-]+(?:\/[\w.-]+)*$/),
    env: 'KLAUS_SANDBOX_KUBERNETES_SECCOMP_PROFILE',
    unset: 'the profile of the runtime',
    values: 'a path in the folder of seccomp profiles of the kubelet',
    description: 'Filter of system calls of the Kubernetes sandbox. Every node needs the file.',
  }),
  'sandbox.kubernetes.nodeSelector': defineSetting({
    schema: z.array(z.string().regex(/^[\w./-]+=[\w.-]*$/)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_KUBERNETES_NODE_SELECTOR',
    values: 'labels, each as `name=value`',
    description: 'Labels of the nodes on which pods of the Kubernetes sandbox run.',
  }),
  'sandbox.kubernetes.userNamespace': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SANDBOX_KUBERNETES_USER_NAMESPACE',
    description:
      'Pods of the Kubernetes sandbox have a user namespace of their own. Set it to false where nodes or volumes, such as NFS, do not support it.',
  }),
  'sandbox.kubernetes.networkPolicies': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_SANDBOX_KUBERNETES_NETWORK_POLICIES',
    description:
      'You confirm that the network of the cluster enforces network policies. The Kubernetes sandbox refuses to work without it.',
  }),
  'sandbox.shell': defineSetting({
    schema: z.enum(['bash', 'sh']),
    default: 'bash',
    env: 'KLAUS_SANDBOX_SHELL',
    description:
      'The shell of commands and hooks: `bash` where it is installed, without profiles and otherwise `sh`, or always `sh`.',
  }),
  'sandbox.env': defineSetting({
    schema: z.array(z.string().regex(/^[A-Za-z_]\w*\*?$/)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_ENV',
    values: 'names, or prefixes that end in `*`',
    description:
      'Variables of your environment that are passed to commands. One that looks like a credential is passed only if its complete name is listed.',
    project: subset,
  }),
  'sandbox.repository': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SANDBOX_REPOSITORY',
    description:
      'Commands may read the repository that contains the workspace: its `node_modules`, settings and history. Its secret files are hidden.',
    project: only(false),
  }),
  'sandbox.folders': defineSetting({
    schema: z.array(z.string().min(1)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_FOLDERS',
    values: 'folders, each followed by `:ro` (default) or `:rw`',
    description:
      'Further folders that commands and tools may read and, with `:rw`, change. Their secret files are hidden. Undo includes changes in them.',
  }),
  'sandbox.fetch': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SANDBOX_FETCH',
    description: 'Download bubblewrap by apt into `KLAUS_HOME` if it is not installed. The system is not changed.',
  }),
  dockerEnabled: defineSetting({
    schema: z.boolean(),
    env: 'DOCKER_ENABLED',
    unset: 'the best driver that works on this machine',
    description: '`true`: Docker, or an error without it. `false`: never Docker, which does not select host.',
  }),
} as const;
