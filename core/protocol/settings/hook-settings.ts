import { z } from 'zod';
import { atMost, only, upTo, type Narrowing } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** The events on which hooks run, by the names of Claude Code. */
export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** Seconds. */
const timeout = z.number().min(0.1).max(600).optional();

const hookSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('command'), command: z.string().trim().min(1), timeout }),
  z.strictObject({
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).optional(),
    timeout,
  }),
]);

/** Names of tools with `|` between them; `*` and `.*` match any characters. */
const matcher = z
  .string()
  .max(500)
  .regex(/^[\w.*|-]*$/);

const groupSchema = z.strictObject({
  matcher: matcher.optional(),
  hooks: z.array(hookSchema).min(1),
  /** Klaus sets it: the group is from the file of a project. */
  project: z.literal(true).optional(),
});

/** One hook: a command that runs in the sandbox, or an URL that gets the event. */
export type Hook = z.infer<typeof hookSchema>;
/** Hooks for the tools that a matcher names. */
export type HookGroup = z.infer<typeof groupSchema>;
export type HookGroups = Partial<Record<HookEventName, HookGroup[]>>;

/** A project adds hooks, which can only narrow what the session may do. It never removes one, and names no URL. */
const addedHooks: Narrowing<HookGroups> = {
  rule: 'adds hooks of the type `command`, which run in the sandbox',
  holds: (value) =>
    Object.values(value).every((groups) =>
      (groups ?? []).every(({ project, hooks }) => !project || hooks.every(({ type }) => type === 'command')),
    ),
  merge(value, base = {}) {
    const merged: HookGroups = {};
    for (const event of HOOK_EVENTS) {
      const own = (value[event] ?? []).map((group): HookGroup => ({ ...group, project: true }));
      const groups = [...(base[event] ?? []), ...own];
      if (groups.length > 0) merged[event] = groups;
    }
    return merged;
  },
};

const FORMATTER_MODES = ['off', 'offer', 'apply'] as const;

/** Settings of what runs on events of a session, and after an edit. */
export const HOOK_SETTINGS = {
  'edit.formatter': defineSetting({
    schema: z.enum(FORMATTER_MODES),
    default: 'offer',
    env: 'KLAUS_EDIT_FORMATTER',
    description:
      'What the formatter that the project configures does with edited files: `offer` reports that it would change them, `apply` formats them in the same change.',
    project: upTo(FORMATTER_MODES),
  }),
  'edit.formatterTimeoutMs': defineSetting({
    schema: z.int().min(100).max(120_000),
    default: 10_000,
    env: 'KLAUS_EDIT_FORMATTER_TIMEOUT_MS',
    description: 'Milliseconds for the formatters of one call.',
    project: atMost,
  }),
  'edit.encodings': defineSetting({
    schema: z.array(z.string().regex(/^.+=[\w.:-]+$/, 'must be GLOB=ENCODING')),
    default: [],
    env: 'KLAUS_EDIT_ENCODINGS',
    values: 'a list of GLOB=ENCODING',
    description:
      'Encodings of files that are not UTF-8, such as `src/**/*.c=gbk`. The last glob that matches a path decides, before `.gitattributes` and `.editorconfig`.',
  }),
  'lsp.enabled': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_LSP_ENABLED',
    description: 'Language servers check edited files, and the model gets the new problems.',
    project: only(false),
  }),
  'lsp.timeoutMs': defineSetting({
    schema: z.int().min(100).max(120_000),
    default: 15_000,
    env: 'KLAUS_LSP_TIMEOUT_MS',
    description: 'Milliseconds for the start of a language server, and for its first answer.',
    project: atMost,
  }),
  hooks: defineSetting({
    schema: z.partialRecord(z.enum(HOOK_EVENTS), z.array(groupSchema)),
    default: {} as HookGroups,
    values: `for each of ${HOOK_EVENTS.join(', ')}: groups with \`matcher\` and \`hooks\`, as in the settings of Claude Code`,
    description: 'Commands and URLs that get events of a session and can narrow what it may do.',
    project: addedHooks,
  }),
} as const;
