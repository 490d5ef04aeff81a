import { z } from 'zod';
import { defineSetting } from './setting.ts';

const origin = z.string().regex(/^(?:https?:\/\/)?[^\s/?#@,]+$/);

/** `false`, `true`, a number of proxies, or a list of addresses, ranges and names of ranges. */
const proxies = z.union([
  z.boolean(),
  z.int().min(0).max(32),
  z
    .string()
    .regex(
      /^(?:true|false|\d{1,2}|(?:loopback|linklocal|uniquelocal|(?:\d{1,3}\.){3}\d{1,3}(?:\/(?:[12]?\d|3[0-2]))?|[\da-fA-F:]*:[\da-fA-F:.]*(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)(?: *, *(?!$)|$))+$/,
    ),
]);

const folder = z.string().regex(/^\/[^\0\n]*$/);

/** Settings of `klaus serve`. A project cannot set them. */
export const SERVER_SETTINGS = {
  'server.secret': defineSetting({
    // No white space, which is invalid in an HTTP header.
    schema: z.string().regex(/^[\x21-\x7e]{8,}$/),
    env: 'AGENT_API_SECRET',
    unset: 'a random token, stored in the state folder',
    values: 'printable ASCII without spaces, at least 8 characters',
    description: 'Bearer token of the server. Required for an address that other machines can reach.',
    secret: true,
  }),
  'server.corsOrigin': defineSetting({
    schema: z.array(origin),
    default: [] as string[],
    env: 'AGENT_CORS_ORIGIN',
    values:
      'origins such as https://klaus.example.com, or hosts such as localhost:5173; in a variable separated by commas',
    description:
      'Other origins whose pages may use the server. The server also accepts their host names, such as that of a proxy.',
  }),
  'server.basePath': defineSetting({
    schema: z.string().regex(/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/),
    env: 'KLAUS_SERVER_BASE_PATH',
    unset: 'the page is at the root of the address',
    values: 'a path such as /klaus, without a slash at its end',
    description:
      'Path below which browsers reach the server through a proxy. The proxy may remove it from requests or pass it on.',
  }),
  'server.workspaces': defineSetting({
    schema: z.array(folder),
    default: [] as string[],
    env: 'KLAUS_SERVER_WORKSPACES',
    values: 'absolute folders; in a variable separated by commas',
    description:
      'Folders in which clients of the server may open sessions, including their subfolders. Empty: the working folder of the server and the folders of known sessions. System folders, the home folder and the state folder of Klaus are never allowed.',
  }),
  'server.trustProxy': defineSetting({
    schema: proxies,
    default: false,
    env: 'AGENT_TRUST_PROXY',
    values:
      'true, false, a number of proxies, or loopback, linklocal, uniquelocal, addresses and ranges, separated by commas',
    description:
      'Proxies whose X-Forwarded-Proto and X-Forwarded-For are trusted. `true`: the proxy in front of the server, with any address.',
  }),
  'server.wsRateLimit': defineSetting({
    schema: z.int().min(0),
    default: 30,
    env: 'AGENT_WS_RATE_LIMIT',
    description: 'Events that one socket may send per minute. Approvals and cancel requests do not count. 0: no limit.',
  }),
  'server.privateHosts': defineSetting({
    schema: z.array(z.string().regex(/^(?:\*|(?:\*\.)?[\w.-]+(?::\d{1,5})?|\[[\da-fA-F:.]+\](?::\d{1,5})?)$/)),
    default: [] as string[],
    env: 'KLAUS_SERVER_PRIVATE_HOSTS',
    values: 'hosts such as `10.0.0.7:8080` or `git.example.internal`; `*` for all; in a variable separated by commas',
    description:
      'Hosts of this machine and of private networks that sessions and clones of clients below the role admin may reach. The ports of the server itself are never reached.',
  }),
  'server.lendCredentials': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_SERVER_LEND_CREDENTIALS',
    description:
      'Clones of clients below the role admin use the SSH keys and the credential helper of the user who runs the server.',
  }),
  'server.metrics': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'AGENT_METRICS_ENABLED',
    description: 'Serve `/metrics` in the text format of Prometheus.',
  }),
  'server.settings': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_SERVER_SETTINGS',
    description: 'Administrators may read and change settings and keys on the page and over HTTP.',
  }),
  'server.webhookUrl': defineSetting({
    // No user or password, because they would be printed in logs and errors.
    schema: z.string().regex(/^https?:\/\/[^\s/?#@]+([/?][^\s#@]*)?$/),
    env: 'AGENT_WEBHOOK_URL',
    unset: 'none',
    values: 'an http or https address',
    description: 'Address that is notified when a run of the server has ended or waits for an approval.',
  }),
  'server.webhookSecret': defineSetting({
    schema: z.string().min(8),
    env: 'AGENT_WEBHOOK_SECRET',
    unset: 'notifications are not signed',
    values: 'text of at least 8 characters',
    description: 'Secret that signs the notifications to AGENT_WEBHOOK_URL.',
    secret: true,
  }),
  'server.webhookGiveUpMs': defineSetting({
    schema: z.int().min(0).max(2_592_000_000),
    default: 86_400_000,
    env: 'AGENT_WEBHOOK_GIVE_UP',
    description: 'Milliseconds for which a failed notification to AGENT_WEBHOOK_URL is retried.',
  }),
  'server.logLevel': defineSetting({
    schema: z.enum(['debug', 'info', 'warn', 'error']),
    default: 'info',
    env: 'LOG_LEVEL',
    description: 'Level of the log of the server: entries of this level and above are written.',
  }),
  'server.logDays': defineSetting({
    schema: z.int().min(0).max(36_500),
    default: 14,
    env: 'AGENT_LOG_DAYS',
    description: 'Number of log files of earlier days that the server keeps. 0: all of them.',
  }),
  'server.maxConcurrent': defineSetting({
    schema: z.int().min(1),
    default: 3,
    env: 'AGENT_MAX_CONCURRENT_SESSIONS',
    description: 'Number of concurrent runs of the server. Further runs wait in a visible queue.',
  }),
  'server.idleExitMs': defineSetting({
    schema: z.int().min(0).max(2_592_000_000),
    env: 'KLAUS_SERVER_IDLE_EXIT',
    unset: '600000 (10 minutes) for the daemon, which the command line starts; never for `klaus serve`',
    description:
      'Milliseconds after which a server without work and without connected clients ends. Sessions that wait for an approval are no work. 0: never.',
  }),
  'server.shutdownTimeoutMs': defineSetting({
    schema: z.int().min(0).max(3_600_000),
    default: 30_000,
    env: 'AGENT_SHUTDOWN_TIMEOUT',
    description:
      'Milliseconds within which a stopped server ends. Its runs complete their current step. A run that has not completed its step two seconds before the end continues at the next start.',
  }),
} as const;
