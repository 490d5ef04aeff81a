import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { KlausError, messageOf, stopReasonSchema } from '@klaus/core/protocol';
import type { LineCounter, Document } from 'yaml';
import { z } from 'zod';
import { checkTemplate } from './template.ts';

const regex = z.string().refine(isRegex, { error: (issue) => `is not a regular expression: ${String(issue.input)}` });

const template = z.string().superRefine((text, context) => {
  const problem = checkTemplate(text);
  if (problem) context.addIssue({ code: 'custom', message: problem, input: text });
});

/** Any JSON; every string in it is a template. */
const input = z.json().superRefine((value, context) => {
  for (const text of stringsOf(value)) {
    const problem = checkTemplate(text);
    if (problem) context.addIssue({ code: 'custom', message: problem, input: text });
  }
});

const count = z.int().nonnegative();
const always = z.boolean().optional();
const status = z.int().min(400).max(599);
const after = count.describe('Chunks sent before it happens.');

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status,
    /** Seconds. */
    retryAfter: z.number().nonnegative().optional(),
    message: z.string().optional(),
    always,
  }),
  z.strictObject({ kind: z.literal('reset'), after: after.default(0), always }),
  z.strictObject({ kind: z.literal('truncate'), after: after.default(2), always }),
  z.strictObject({ kind: z.literal('malformed'), after: after.default(1), always }),
  z.strictObject({
    kind: z.literal('error'),
    after: after.default(1),
    /** As the status that the request would have had. */
    status: status.default(529),
    message: z.string().optional(),
    always,
  }),
  z.strictObject({
    kind: z.literal('hang'),
    after: after.default(0),
    keepAlive: z.boolean().default(false),
    always,
  }),
  z.strictObject({
    kind: z.literal('slow'),
    /** Milliseconds before every chunk. */
    pace: count,
    keepAlive: z.boolean().default(false),
    always,
  }),
]);
export type Fault = z.infer<typeof faultSchema>;

/** The stop reasons of the Messages API; for OpenAI they map to the nearest one. */
export const scriptStopSchema = stopReasonSchema.exclude(['cancelled']);
export type ScriptStop = z.infer<typeof scriptStopSchema>;

const callSchema = z
  .strictObject({
    name: z.string().optional(),
    /** A shell command for the tool of the request that runs one, in place of `name` and `input`. */
    shell: template.optional(),
    input: input.optional(),
    /** Sent as the arguments unchanged, JSON or not. */
    raw: z.string().optional(),
    /** Default `call_<turn>_<index>`. The empty text sends none. */
    id: z.string().optional(),
  })
  .refine((call) => call.input === undefined || call.raw === undefined, { error: 'has both input and raw' })
  .refine((call) => (call.name === undefined) !== (call.shell === undefined), { error: 'needs either name or shell' })
  .refine((call) => call.shell === undefined || (call.input === undefined && call.raw === undefined), {
    error: 'has input or raw beside shell',
  });
export type ReplyCall = z.infer<typeof callSchema>;

export const replySchema = z.strictObject({
  thinking: template.optional(),
  /** Reasoning that is sent encrypted, as opaque data. */
  encrypted: z.string().optional(),
  text: z.union([template, z.strictObject({ repeat: z.string(), times: count })]).optional(),
  calls: z.array(callSchema).optional(),
  /** Results of the provider's own search, which the request must ask for. */
  search: z.array(z.strictObject({ title: z.string(), url: z.url(), snippet: z.string() })).optional(),
  /** Default `tool_use` when there are calls, else `end_turn`. */
  stop: scriptStopSchema.optional(),
  /** Tokens; what is left out is counted from bytes. `usd` is sent as OpenRouter's exact cost. */
  usage: z
    .strictObject({
      input: count.optional(),
      output: count.optional(),
      cacheRead: count.optional(),
      cacheWrite: count.optional(),
      usd: z.number().nonnegative().optional(),
    })
    .optional(),
});
export type Reply = z.infer<typeof replySchema>;

export const whenSchema = z.strictObject({
  /** Assistant messages in the request. */
  turn: count.optional(),
  user: regex.optional(),
  /** A tool whose result is among the newest. */
  after: z.string().optional(),
  result: regex.optional(),
  system: regex.optional(),
  model: regex.optional(),
  tools: z.boolean().optional(),
  /** True: the request asks for the provider's own search. */
  search: z.boolean().optional(),
});
export type When = z.infer<typeof whenSchema>;

export const stepSchema = z.strictObject({
  when: whenSchema.optional(),
  reply: replySchema,
  /** Milliseconds before the first byte. */
  delay: count.optional(),
  /** Milliseconds between chunks. */
  pace: count.optional(),
  /** Characters of text in one chunk; default 40. */
  chunk: z.int().positive().optional(),
  faults: z.array(faultSchema).optional(),
});
export type Step = z.infer<typeof stepSchema>;

export const scriptSchema = z.strictObject({
  name: z.string().optional(),
  /** Which wire Klaus's own `scripted/NAME` uses; the server speaks all of them at all times. */
  wire: z.enum(['anthropic', 'openai', 'responses']).optional(),
  /** US dollars per million tokens, for `scripted/NAME`. */
  price: z
    .strictObject({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      cacheRead: z.number().nonnegative(),
      cacheWrite: z.number().nonnegative(),
    })
    .optional(),
  contextWindow: z.int().positive().optional(),
  maxOutputTokens: z.int().positive().optional(),
  steps: z.array(stepSchema),
  fallback: replySchema.optional(),
});
export type Script = z.infer<typeof scriptSchema>;

/** @throws KlausError `config` naming file, line, key and what is allowed. */
export async function loadScript(file: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    throw new KlausError('config', `The script ${file} cannot be read: ${reason}`, {
      hint: 'Name a file that is there: the path of a script is meant from the current folder.',
      cause: error,
    });
  }
  const script = await parseScript(text, file);
  return { name: basename(file).replace(/\.(?:ya?ml|json)$/i, ''), ...script };
}

/** @throws as {@link loadScript}; `file` is only a name for the message. */
export async function parseScript(text: string, file: string): Promise<Script> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new KlausError('config', `${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message}`);
  const parsed = scriptSchema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap(unfold).map((issue) => {
    const key = issue.path.join('.') || 'the script';
    return `${file}:${toLine(issue.path, document, lines)}: ${key} ${describe(issue)}`;
  });
  throw new KlausError('config', problems.join('\n'), { hint: 'docs/scripted-model-server.md shows the format.' });
}

type Issue = z.core.$ZodIssue;

/** The alternatives of a union. They are reported separately when only one of them has the right shape. */
function unfold(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const fitting = issue.errors.filter(
    (issues) => !issues.some((inner) => inner.path.length === 0 && inner.code === 'invalid_type'),
  );
  if (fitting.length !== 1) return [issue];
  return fitting[0]!.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue);
}

function describe(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has the unknown key ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return issue.message.includes('received undefined')
        ? `is missing (${issue.expected})`
        : `must be: ${issue.expected}`;
    case 'invalid_union':
      if (issue.discriminator) {
        return `has an unknown ${issue.discriminator}; allowed: ${faultSchema.options.map((option) => option.shape.kind.value).join(', ')}`;
      }
      return `must be a text, or {repeat, times}`;
    default:
      return issue.message;
  }
}

/** The line of the key itself or of the nearest thing around it. */
function toLine(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? (node.range as number[] | null) : null;
    if (range) return lines.linePos(range[0]!).line;
  }
  return 1;
}

function isRegex(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

function* stringsOf(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* stringsOf(item);
}
