import { z } from 'zod';
import { checkpointSchema, modeSchema, onAskSchema } from '../authority/mode.ts';
import { additional, atMost, capAtMost, narrowerMode, only, subset, tierOnly } from './narrowing.ts';
import { OPERATION_SETTINGS } from './operation-settings.ts';
import { SANDBOX_SETTINGS } from './sandbox-settings.ts';
import { defineSetting, type Setting } from './setting.ts';

/** Longest time, in milliseconds: a day. Timers of the platforms wrap around soon after 24 of them. */
const DAY_MS = 86_400_000;

const text = z.string().min(1);
const count = z.int().min(1);
const milliseconds = z.int().min(1).max(DAY_MS);
const modelName = z.string().regex(/^[\w./:@+~-]+$/);
// No white space, which would break an HTTP header.
const key = z.string().regex(/^[\x21-\x7e]+$/);
// No user, password or query: they would stand in logs and errors.
const baseUrl = z.string().regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/);
// What git refuses in an identity.
const identity = z.string().regex(/^[^<>\n\0]+$/);
// A glob below the workspace.
const relativeGlob = z.string().regex(/^(?![!/~])(?!(?:.*\/)?\.\.(?:\/|$))[^\0\n]+$/);
const dollars = z.number().min(0);

const priceSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

function retryTime(env: string, fallback: number, description: string) {
  return defineSetting({ schema: milliseconds, default: fallback, env, description, project: 'never' });
}

function tier(provider: string, name: string) {
  return defineSetting({
    schema: modelName,
    unset: 'see the model catalog',
    values: "the provider's id of a model",
    description: `Model that \`${name}\` means at ${provider}.`,
    project: 'never',
  });
}

function apiKey(env: string, description: string) {
  return defineSetting({
    schema: key,
    env,
    unset: 'none',
    values: 'printable ASCII without spaces',
    description,
    secret: true,
    project: 'never',
  });
}

function url(env: string, provider: string) {
  return defineSetting({
    schema: baseUrl,
    env,
    unset: `that of ${provider}`,
    values: 'an http or https URL without user, password, query and fragment',
    description: `Address of the ${provider} API, or of a server that speaks it.`,
    project: 'never',
  });
}

/** Every setting of Klaus by its key. Types, validation and documentation come from this table alone. */
export const SETTINGS = {
  model: defineSetting({
    schema: modelName,
    default: 'opus',
    env: 'AGENT_MODEL',
    values: '`provider/id`, a tier (opus, sonnet, haiku) or a known id',
    description: 'Model that does the work.',
    project: tierOnly,
  }),
  'tiers.anthropic.opus': tier('Anthropic', 'opus'),
  'tiers.anthropic.sonnet': tier('Anthropic', 'sonnet'),
  'tiers.anthropic.haiku': tier('Anthropic', 'haiku'),
  'tiers.openai.opus': tier('OpenAI', 'opus'),
  'tiers.openai.sonnet': tier('OpenAI', 'sonnet'),
  'tiers.openai.haiku': tier('OpenAI', 'haiku'),
  'tiers.openrouter.opus': tier('OpenRouter', 'opus'),
  'tiers.openrouter.sonnet': tier('OpenRouter', 'sonnet'),
  'tiers.openrouter.haiku': tier('OpenRouter', 'haiku'),
  prices: defineSetting({
    schema: z.record(z.string().regex(/^[^/\s]+\/\S+$/), priceSchema),
    unset: 'those of the model catalog',
    values: 'for each `provider/id`: input and output, and optionally cacheRead and cacheWrite, each at least 0',
    description:
      'Prices in US dollars per million tokens, for models that the catalog does not know or where yours differ.',
    project: 'never',
  }),
  'models.allow': defineSetting({
    schema: z.array(z.string().regex(/^[\w./:@+~-]*[\w./:@+~*-]$/)).min(1),
    env: 'KLAUS_MODELS_ALLOW',
    unset: 'every model',
    values: 'a list of full model names, `provider/id`, which may end in `*`; in a variable separated by commas',
    description: 'Models that may be used at all.',
    project: subset,
  }),
  workspace: defineSetting({
    schema: text,
    default: '.',
    env: 'AGENT_WORKSPACE',
    values: 'a path; a relative one is meant from the current folder or, in a file, from the folder of that file',
    description: 'Folder the agent works in.',
    project: 'never',
  }),
  'limits.tokens': defineSetting({
    schema: z.int().min(0),
    default: 100_000,
    env: 'AGENT_TOKEN_BUDGET',
    description: 'Tokens of one session that are newly processed, not read from the prompt cache. 0: unlimited.',
    project: capAtMost,
  }),
  'limits.usd': defineSetting({
    schema: dollars,
    default: 0,
    env: 'KLAUS_BUDGET_USD',
    description: 'US dollars of one session. 0: unlimited.',
    project: capAtMost,
  }),
  'limits.toolCalls': defineSetting({
    schema: z.int().min(0),
    default: 50,
    env: 'AGENT_MAX_TOOL_CALLS',
    description: 'Tool calls of one session. 0: unlimited.',
    project: capAtMost,
  }),
  'limits.turns': defineSetting({
    schema: z.int().min(0),
    default: 0,
    env: 'KLAUS_MAX_TURNS',
    description: 'Model turns of one session. 0: unlimited.',
    project: capAtMost,
  }),
  maxOutputTokens: defineSetting({
    schema: count,
    default: 8192,
    env: 'AGENT_MAX_TOKENS',
    description: 'Tokens of one answer of the model.',
    project: atMost,
  }),
  maxRetries: defineSetting({
    schema: count,
    default: 3,
    env: 'AGENT_MAX_RETRIES',
    description: 'Invalid tool inputs in a row, or continuations of a cut answer in a row, after which a run ends.',
    project: atMost,
  }),
  'retry.attempts': defineSetting({
    schema: count,
    default: 5,
    env: 'KLAUS_RETRY_ATTEMPTS',
    description: 'Requests to a model, the first included, before its failure ends the run.',
    project: 'never',
  }),
  'retry.baseMs': retryTime(
    'KLAUS_RETRY_BASE_MS',
    500,
    'Milliseconds before the second request; they double with each further one.',
  ),
  'retry.maxMs': retryTime('KLAUS_RETRY_MAX_MS', 30_000, 'Longest wait between two requests, in milliseconds.'),
  'retry.waitMs': defineSetting({
    schema: z
      .int()
      .min(0)
      .max(7 * DAY_MS),
    default: 0,
    env: 'KLAUS_RETRY_WAIT_MS',
    description:
      'Milliseconds from its first failure on during which a model that cannot be reached, is overloaded or limits the rate is asked again, however often. 0: as often as retry.attempts says.',
    project: 'never',
  }),
  'retry.idleMs': retryTime(
    'KLAUS_RETRY_IDLE_MS',
    60_000,
    'Milliseconds without a byte after which a request counts as failed.',
  ),
  compactAt: defineSetting({
    schema: z.number().min(0.1).max(0.95),
    default: 0.8,
    env: 'KLAUS_COMPACT_AT',
    description: 'Part of the context window that is full when older messages are replaced by a summary.',
    project: 'free',
  }),
  maxPromptChars: defineSetting({
    schema: count,
    default: 32_000,
    env: 'AGENT_MAX_PROMPT_CHARS',
    description: 'Characters of one prompt.',
    project: atMost,
  }),
  maxToolOutputContext: defineSetting({
    schema: count,
    default: 8000,
    env: 'AGENT_MAX_TOOL_OUTPUT_CONTEXT',
    description: 'Characters of a tool result that the model sees; longer ones are cut.',
    project: atMost,
  }),
  maxToolResultSize: defineSetting({
    schema: count,
    default: 10_240,
    env: 'AGENT_MAX_TOOL_RESULT_SIZE',
    description: 'Bytes of a tool result that are kept in the table of tool calls.',
    project: atMost,
  }),
  maxSearchResults: defineSetting({
    schema: count,
    default: 500,
    env: 'AGENT_MAX_SEARCH_RESULTS',
    description: 'Results of one search.',
    project: atMost,
  }),
  approve: defineSetting({
    schema: modeSchema,
    default: 'auto',
    env: 'KLAUS_APPROVE',
    description:
      '`plan`: read only. `ask`: everything but reading asks. `edits`: edits in the workspace pass. `auto`: what grant and sandbox allow passes, anything wider asks.',
    project: narrowerMode,
  }),
  requirePatchApproval: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'AGENT_REQUIRE_PATCH_APPROVAL',
    description: 'Every change of a file asks, whatever the mode.',
    project: only(true),
  }),
  isolate: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_ISOLATE',
    description: 'Commands work on a layer; what they changed is reviewed hunk by hunk before it is kept.',
    project: only(true),
  }),
  'undo.enabled': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_UNDO',
    description: 'The workspace is kept as it was before the first effect of each turn, so that it can be taken back.',
    project: 'never',
  }),
  'undo.keepDays': defineSetting({
    schema: z.number().min(0),
    default: 30,
    env: 'KLAUS_UNDO_KEEP_DAYS',
    description: 'Days for which `klaus db gc` leaves what undo needs. Sessions that were deleted keep nothing.',
    project: 'never',
  }),
  onAsk: defineSetting({
    schema: onAskSchema,
    env: 'KLAUS_ON_ASK',
    unset: 'ask in a terminal, otherwise deny',
    description:
      'What becomes of a question when nobody is there: `deny` refuses it, `wait` parks the run until somebody answers.',
    project: only('deny'),
  }),
  ...SANDBOX_SETTINGS,
  'secrets.files': defineSetting({
    schema: z.array(relativeGlob),
    default: [] as string[],
    env: 'KLAUS_SECRETS_FILES',
    values:
      'globs relative to the workspace: `*` within a name, `**` over folders, `?` one character; without a slash they fit in every folder; in a variable separated by commas',
    description:
      'Files that hold secrets, besides those known by their name such as `.env` and `*.key`: commands cannot read them, and their values are taken out of what the model reads.',
    project: additional,
  }),
  checkpoint: defineSetting({
    schema: checkpointSchema,
    default: 'auto',
    env: 'KLAUS_CHECKPOINT',
    description: 'Whether a run that changed files ends with a commit to a private ref.',
    project: only('auto'),
  }),
  'git.userName': defineSetting({
    schema: identity,
    env: 'GIT_USER_NAME',
    unset: "the repository's own",
    values: 'text without < and >',
    description: 'Name that signs commits where the repository has no identity.',
    project: 'never',
  }),
  'git.userEmail': defineSetting({
    schema: identity,
    env: 'GIT_USER_EMAIL',
    unset: "the repository's own",
    values: 'text without < and >',
    description: 'Address that signs commits where the repository has no identity.',
    project: 'never',
  }),
  'keys.anthropic': apiKey('ANTHROPIC_API_KEY', 'Key of the Anthropic API.'),
  'keys.anthropicToken': apiKey('ANTHROPIC_AUTH_TOKEN', 'Bearer token for the Anthropic API, instead of a key.'),
  'keys.openai': apiKey('OPENAI_API_KEY', 'Key of the OpenAI API.'),
  'keys.openrouter': apiKey('OPENROUTER_API_KEY', 'Key of the OpenRouter API.'),
  'keys.netlify': apiKey(
    'NETLIFY_AUTH_TOKEN',
    'Token of Netlify. It waits for the tool that deploys: nothing reads it yet.',
  ),
  'keys.git': apiKey(
    'GIT_CREDENTIALS',
    'Address with the name and password of a git server. It waits for the tool that pushes: nothing reads it yet.',
  ),
  'deploy.netlifySite': defineSetting({
    schema: z.string().regex(/^[\w.-]+$/),
    env: 'NETLIFY_SITE_ID',
    unset: 'none',
    values: 'the id of a site',
    description: 'Site of Netlify. It waits for the tool that deploys: nothing reads it yet.',
    project: 'never',
  }),
  'baseUrls.anthropic': url('ANTHROPIC_BASE_URL', 'Anthropic'),
  'baseUrls.openai': url('OPENAI_BASE_URL', 'OpenAI'),
  'baseUrls.openrouter': url('OPENROUTER_BASE_URL', 'OpenRouter'),
  ...OPERATION_SETTINGS,
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;

type ValueOf<T> =
  T extends Setting<infer S, infer D> ? (undefined extends D ? z.output<S> | undefined : z.output<S>) : never;

/** The type of a setting's value; it includes undefined only where there is no default. */
export type SettingValue<K extends SettingKey> = ValueOf<(typeof SETTINGS)[K]>;

type Flat = { [K in SettingKey]: SettingValue<K> };
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K;
type Tail<K extends string, H extends string> = K extends `${H}.${infer T}` ? T : never;
type Tree<F> = {
  readonly [H in Head<keyof F & string>]: H extends keyof F
    ? F[H]
    : Tree<{ [T in Tail<keyof F & string, H>]: F[`${H}.${T}` & keyof F] }>;
};

/** All values as one object: `limits.usd` stands at `.limits.usd`. */
export type SettingValues = Tree<Flat>;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(word: string): word is SettingKey {
  return Object.hasOwn(SETTINGS, word);
}

function toMeta(setting: Setting): { description: string; default?: unknown } {
  const { description } = setting;
  return setting.default === undefined ? { description } : { description, default: setting.default };
}

/** The shape of a configuration file: the settings as a tree, each one optional, and nothing else. */
export function toConfigSchema(): z.ZodObject {
  const build = (prefix: string): z.ZodObject => {
    const shape: Record<string, z.ZodType> = {};
    for (const path of SETTING_KEYS) {
      if (!path.startsWith(prefix)) continue;
      const [head = '', ...rest] = path.slice(prefix.length).split('.');
      const setting = SETTINGS[path];
      if (rest.length === 0) shape[head] = setting.schema.meta(toMeta(setting)).optional();
      else shape[head] ??= build(`${prefix}${head}.`).optional();
    }
    return z.strictObject(shape);
  };
  return build('');
}
