import { z } from 'zod';
import { defineSetting } from './setting.ts';

const origin = z.string().regex(/^(?:https?:\/\/)?[^\s/?#@,]+$/);

/** `false`, `true`, a number of proxies, or addresses, ranges and their names. */
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

/** What `klaus serve` is told. No project may say any of it. */
export const SERVER_SETTINGS = {
  'server.secret': defineSetting({
    // No white space, which would break an HTTP header.
    schema: z.string().regex(/^[\x21-\x7e]{8,}$/),
    env: 'AGENT_API_SECRET',
    unset: 'a random token, kept in the state folder',
    values: 'printable ASCII without spaces, at least 8 characters',
    description: 'Bearer token of the server. Needed for an address that other machines reach.',
    secret: true,
    project: 'never',
  }),
  'server.corsOrigin': defineSetting({
    schema: z.array(origin),
    default: [] as string[],
    env: 'AGENT_CORS_ORIGIN',
    values:
      'origins such as https://klaus.example.com, or hosts such as localhost:5173; in a variable separated by commas',
    description:
      'Other origins whose pages may talk to the server. Their host names are served too, such as that of a proxy.',
    project: 'never',
  }),
  'server.workspaces': defineSetting({
    schema: z.array(folder),
    default: [] as string[],
    env: 'KLAUS_SERVER_WORKSPACES',
    values: 'absolute folders; in a variable separated by commas',
    description:
      'Folders in which clients of the server may begin sessions, with what is inside. Empty: the folder that the server works in and those of known sessions. Folders of the system, the home folder and the state of Klaus are never workspaces of it.',
    project: 'never',
  }),
  'server.trustProxy': defineSetting({
    schema: proxies,
    default: false,
    env: 'AGENT_TRUST_PROXY',
    values:
      'true, false, a number of proxies, or loopback, linklocal, uniquelocal, addresses and ranges, separated by commas',
    description:
      'Proxies whose X-Forwarded-Proto and X-Forwarded-For are believed. `true`: the one before the server, whatever its address.',
    project: 'never',
  }),
  'server.wsRateLimit': defineSetting({
    schema: z.int().min(0),
    default: 30,
    env: 'AGENT_WS_RATE_LIMIT',
    description:
      'Events that one socket may send in a minute. Approvals and the wish to stop are taken however many there are. 0: no limit.',
    project: 'never',
  }),
  'server.metrics': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'AGENT_METRICS_ENABLED',
    description: 'Whether /metrics is there, in the text format of Prometheus.',
    project: 'never',
  }),
  'server.webhookUrl': defineSetting({
    // No user or password: they would stand in logs and errors.
    schema: z.string().regex(/^https?:\/\/[^\s/?#@]+([/?][^\s#@]*)?$/),
    env: 'AGENT_WEBHOOK_URL',
    unset: 'none',
    values: 'an http or https address',
    description: 'Told when a run of the server has ended or waits for an approval.',
    project: 'never',
  }),
  'server.webhookSecret': defineSetting({
    schema: z.string().min(8),
    env: 'AGENT_WEBHOOK_SECRET',
    unset: 'nothing is signed',
    values: 'text of at least 8 characters',
    description: 'Signs what is sent to AGENT_WEBHOOK_URL.',
    secret: true,
    project: 'never',
  }),
  'server.webhookGiveUpMs': defineSetting({
    schema: z.int().min(0).max(2_592_000_000),
    default: 86_400_000,
    env: 'AGENT_WEBHOOK_GIVE_UP',
    description: 'Milliseconds for which a message is tried again that AGENT_WEBHOOK_URL did not take.',
    project: 'never',
  }),
  'server.logLevel': defineSetting({
    schema: z.enum(['debug', 'info', 'warn', 'error']),
    default: 'info',
    env: 'LOG_LEVEL',
    description: 'What the server writes to its log: entries of this level and above.',
    project: 'never',
  }),
  'server.logDays': defineSetting({
    schema: z.int().min(0).max(36_500),
    default: 14,
    env: 'AGENT_LOG_DAYS',
    description: 'Log files of earlier days that the server keeps beside that of today. 0: all of them.',
    project: 'never',
  }),
  'server.maxConcurrent': defineSetting({
    schema: z.int().min(1),
    default: 3,
    env: 'AGENT_MAX_CONCURRENT_SESSIONS',
    description: 'Runs that the server works on at the same time; further ones wait in a queue that can be seen.',
    project: 'never',
  }),
  'server.shutdownTimeoutMs': defineSetting({
    schema: z.int().min(0).max(3_600_000),
    default: 30_000,
    env: 'AGENT_SHUTDOWN_TIMEOUT',
    description:
      'Milliseconds in which a server that is stopped is gone. Its runs end their present step or, where the last two seconds of it come first, go on at the next start where they left off.',
    project: 'never',
  }),
} as const;
