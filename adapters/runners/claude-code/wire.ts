import { z } from 'zod';

/**
 * Messages of `claude -p --input-format stream-json --output-format stream-json --verbose`, as Claude Code 2.1.197 to
 * 2.1.332 writes them. Unknown messages, fields and blocks are ignored, because each version adds some.
 */
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  /** Of `tool_use`. */
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  /** Of `tool_result`. */
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
});
export type WireBlock = z.infer<typeof block>;

const content = z.union([z.string().transform((text) => [{ type: 'text', text } as WireBlock]), z.array(block)]);

const modelUsage = z.record(
  z.string(),
  z.looseObject({
    inputTokens: z.number().default(0),
    outputTokens: z.number().default(0),
    cacheReadInputTokens: z.number().default(0),
    cacheCreationInputTokens: z.number().default(0),
  }),
);
export type ModelUsage = z.infer<typeof modelUsage>;

const hookInput = z.looseObject({
  hook_event_name: z.string(),
  /** Absolute; a command can change it. */
  cwd: z.string().optional(),
  agent_id: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  tool_response: z.unknown().optional(),
});
export type HookInput = z.infer<typeof hookInput>;

const conversation = {
  uuid: z.string().optional(),
  parent_tool_use_id: z.string().nullish(),
  message: z.looseObject({ id: z.string().optional(), content }),
};

const message = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('assistant'), ...conversation }),
  z.looseObject({ type: z.literal('user'), ...conversation }),
  z.looseObject({
    type: z.literal('stream_event'),
    parent_tool_use_id: z.string().nullish(),
    event: z.looseObject({
      type: z.string(),
      message: z.looseObject({ id: z.string() }).optional(),
      delta: z.looseObject({ text: z.string().optional(), thinking: z.string().optional() }).optional(),
    }),
  }),
  z.looseObject({
    type: z.literal('system'),
    subtype: z.string(),
    claude_code_version: z.string().optional(),
    task_type: z.string().optional(),
    task_id: z.string().optional(),
    tool_use_id: z.string().nullish(),
    prompt: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean().default(false),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    stop_reason: z.string().nullish(),
    total_cost_usd: z.number().optional(),
    modelUsage: modelUsage.optional(),
  }),
  z.looseObject({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.looseObject({
      subtype: z.string(),
      input: z.unknown().optional(),
      tool_name: z.string().optional(),
      tool_use_id: z.string().optional(),
      agent_id: z.string().optional(),
    }),
  }),
  z.looseObject({
    type: z.literal('control_response'),
    response: z.looseObject({
      request_id: z.string(),
      subtype: z.string(),
      error: z.string().optional(),
      response: z.unknown().optional(),
    }),
  }),
]);
export type WireMessage = z.infer<typeof message>;
export type WireMessageOf<T extends WireMessage['type']> = Extract<WireMessage, { type: T }>;

/** A line of its standard output; undefined for what is not known. */
export function readMessage(line: string): WireMessage | undefined {
  return readJson(line, message);
}

export function readHookInput(input: unknown): HookInput | undefined {
  return hookInput.safeParse(input).data;
}

const transcriptLine = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  message: z.looseObject({ content }).optional(),
  totalCostUSD: z.number().optional(),
  modelUsage: modelUsage.optional(),
});

/** A line of a transcript; undefined for what is not known. */
export function readTranscriptLine(line: string): z.infer<typeof transcriptLine> | undefined {
  return readJson(line, transcriptLine);
}

function readJson<T>(line: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The text of a block of a result: a text, or a list of blocks. */
export function toBlockText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return value === undefined ? '' : JSON.stringify(value);
  return value.map((item: unknown) => (item as { text?: string } | null)?.text ?? '[an image]').join('\n');
}
