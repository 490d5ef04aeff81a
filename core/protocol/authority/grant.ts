import { z } from 'zod';

/** The last millisecond of the year 9999, the largest time that can be written as a date. */
const LAST_MOMENT = 253_402_300_799_999;

const expiresAt = z
  .int()
  .min(0)
  .max(LAST_MOMENT)
  .optional()
  .describe('Unix milliseconds of its expiry. Absent: it does not expire.');

/** True for an absolute path that has one meaning for every reader: well-formed text without a null byte and without `..`. */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !path.includes('\0') && path.isWellFormed() && !path.split('/').includes('..');
}

/** Without doubled and trailing slashes and without `.` segments. */
function toNormalPath(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

/** An absolute, normalised path. `..` is refused and not resolved, because its meaning depends on symlinks. */
export const grantPathSchema = z
  .string()
  .refine(isPlainPath, 'A path must be absolute, well-formed text, without a null byte and without `..`.')
  .overwrite((path) => (isPlainPath(path) ? toNormalPath(path) : path));

const HOST = /^(?:\*|(?:\*\.)?(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f]*:[0-9a-f:.]*)$/;

function toNormalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(?<=[^.])\.$/, '');
}

/** A host as it is sent: ASCII (internationalised names in their `xn--` form), lower case, no port, no final dot. */
export const grantHostSchema = z
  .string()
  .max(255)
  .refine(
    (host) => HOST.test(toNormalHost(host)),
    'A host must be a name in ASCII, an address, `*.` before a name, or `*`.',
  )
  .overwrite(toNormalHost);

const word = z
  .string()
  .refine((text) => text !== '' && !text.includes('\0') && text.isWellFormed(), 'It must be text without a null byte.');

/** Read; write, create and delete; run as a program. */
export const FILE_RIGHTS = ['r', 'w', 'x'] as const;
export type FileRight = (typeof FILE_RIGHTS)[number];

/** Every set of rights, spelled in the order of `FILE_RIGHTS`. */
export const RIGHT_SETS = ['r', 'w', 'x', 'rw', 'rx', 'wx', 'rwx'] as const;

/**
 * One capability of a grant. A grant only allows: what no authority allows is denied, and no authority restricts
 * another one. An authority without `expiresAt` is valid as long as its grant.
 */
export const authoritySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fs'),
    path: grantPathSchema.describe('Absolute. Includes everything below it.'),
    rights: z.enum(RIGHT_SETS).describe('`r` read, `w` write, create and delete, `x` run as a program.'),
    expiresAt,
  }),
  z.object({
    kind: z.literal('net'),
    host: grantHostSchema.describe('`*` is any host, `*.example.com` any name below example.com.'),
    port: z.int().min(0).max(65_535).describe('0 is any port.'),
    expiresAt,
  }),
  z
    .object({
      kind: z.literal('exec'),
      argv: z.array(word).min(1).optional().describe('The first words of the allowed commands. Absent: any command.'),
      expiresAt,
    })
    .describe('Commands, only in the sandbox.'),
  z.object({ kind: z.literal('tool'), name: word.describe('One tool, or every tool with `*`.'), expiresAt }),
  z
    .object({
      kind: z.literal('secret'),
      name: word.describe('Name of the secret; `*` is any.'),
      host: grantHostSchema.describe('The host to which it may be sent.'),
      expiresAt,
    })
    .describe('One secret, for one host.'),
  z.object({
    kind: z.literal('model'),
    ids: z.array(word).min(1).describe('Full model names; a final `*` matches any ending.'),
    expiresAt,
  }),
  z.object({ kind: z.literal('spend'), usd: z.number().nonnegative().describe('US dollars.'), expiresAt }),
  z.object({ kind: z.literal('turns'), count: z.int().nonnegative().describe('Model turns.'), expiresAt }),
  z
    .object({
      kind: z.literal('spawn'),
      depth: z.int().nonnegative().describe('Number of generations of agents below this one.'),
      count: z.int().nonnegative().describe('Number of agents in all generations.'),
      expiresAt,
    })
    .describe('Other agents may be created.'),
]);
export type Authority = z.infer<typeof authoritySchema>;
export type AuthorityKind = Authority['kind'];
export type AuthorityOf<K extends AuthorityKind> = Extract<Authority, { kind: K }>;

export const AUTHORITY_KINDS = [
  'fs',
  'net',
  'exec',
  'tool',
  'secret',
  'model',
  'spend',
  'turns',
  'spawn',
] as const satisfies readonly AuthorityKind[];

export const grantSchema = z.object({
  authorities: z.array(authoritySchema),
  delegable: z
    .array(authoritySchema)
    .optional()
    .describe(
      'The authorities that may be delegated to a child agent. The part beyond `authorities` has no effect. Absent: none.',
    ),
  expiresAt,
});
/** What a session may do, as typed data that the host computes and never takes from a prompt. */
export type Grant = z.infer<typeof grantSchema>;

/** One access that a call needs. The gate checks each one against the grant. */
export const accessSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fs'), path: z.string(), right: z.enum(FILE_RIGHTS) }),
  z.object({ kind: z.literal('net'), host: z.string(), port: z.int() }),
  z.object({
    kind: z.literal('exec'),
    command: z.string(),
    cwd: z.string().optional().describe('Absolute path of the folder in which it runs. Absent: the workspace.'),
    hasNetwork: z.boolean().optional().describe('True if the command has the network without an authority for a host.'),
  }),
  z.object({
    kind: z.literal('secret'),
    name: z.string().describe('Name of the secret: the variable that holds it.'),
    host: z.string().describe('The host to which it is sent.'),
  }),
]);
export type Access = z.infer<typeof accessSchema>;
