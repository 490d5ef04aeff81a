import { z } from 'zod';
import { sandboxNameSchema } from '../authority/mode.ts';
import { atMost, atMostOr, neverHost, only, subset } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** Longest time, in milliseconds: a day. */
const DAY_MS = 86_400_000;

/** Settings of what commands run in. */
export const SANDBOX_SETTINGS = {
  'sandbox.driver': defineSetting({
    schema: sandboxNameSchema,
    env: 'KLAUS_SANDBOX',
    unset: 'the best one that works here, never host',
    description: 'Where commands run. `host` is no sandbox at all.',
    project: neverHost,
  }),
  'sandbox.timeoutMs': defineSetting({
    schema: z.int().min(1).max(DAY_MS),
    default: 120_000,
    env: 'KLAUS_SANDBOX_TIMEOUT_MS',
    description:
      'Milliseconds that a command may run. A call may ask for up to 600,000, or for what is set here where that is more.',
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
    description: 'Cores of a command.',
    project: atMostOr(1),
  }),
  'sandbox.processes': defineSetting({
    schema: z.int().min(1),
    default: 256,
    env: 'KLAUS_SANDBOX_PROCESSES',
    description: 'Processes of a command.',
    project: atMost,
  }),
  'sandbox.image': defineSetting({
    schema: z.string().regex(/^[a-z0-9][\w./:@-]*$/),
    env: 'KLAUS_SANDBOX_IMAGE',
    unset: "the driver's own",
    values: 'a Docker image reference',
    description: 'Image of the Docker sandbox.',
    project: 'never',
  }),
  'sandbox.env': defineSetting({
    schema: z.array(z.string().regex(/^[A-Za-z_]\w*\*?$/)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_ENV',
    values: 'names, or beginnings that end in `*`',
    description:
      'Variables of your environment that reach commands. One that looks like a credential passes only by its whole name.',
    project: subset,
  }),
  'sandbox.repository': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SANDBOX_REPOSITORY',
    description:
      'Commands may read the repository around a workspace that is a folder of it: its `node_modules`, settings and history. Secret files in it are hidden.',
    project: only(false),
  }),
  'sandbox.folders': defineSetting({
    schema: z.array(z.string().min(1)),
    default: [] as string[],
    env: 'KLAUS_SANDBOX_FOLDERS',
    values: 'folders, each with `:ro` (default) or `:rw` behind it',
    description:
      'Further folders that commands and tools may read, and with `:rw` change. Secret files in them are hidden; undo takes changes in them back.',
    project: 'never',
  }),
  'sandbox.fetch': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SANDBOX_FETCH',
    description:
      'Fetch bubblewrap by apt into `KLAUS_HOME` where it is not installed. Nothing of the system is changed.',
    project: 'never',
  }),
  dockerEnabled: defineSetting({
    schema: z.boolean(),
    env: 'DOCKER_ENABLED',
    unset: 'the best driver that works here',
    description: '`true`: Docker or refusal. `false`: never Docker, which does not mean host.',
    project: 'never',
  }),
} as const;
