import { z } from 'zod';
import { atMost, capAtMost } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** Longest time, in milliseconds: a day. Timers of the platforms wrap around soon after 24 of them. */
const DAY_MS = 86_400_000;

const text = z.string().min(1);
const count = z.int().min(1);
const milliseconds = z.int().min(1).max(DAY_MS);

function retryTime(env: string, fallback: number, description: string) {
  return defineSetting({ schema: milliseconds, default: fallback, env, description, project: 'never' });
}

/** Settings of a run: its workspace, its limits, and how a failed request is sent again. */
export const RUN_SETTINGS = {
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
    schema: z.number().min(0),
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
} as const;
