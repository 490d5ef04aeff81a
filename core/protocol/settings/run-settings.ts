import { z } from 'zod';
import { atMost, capAtMost } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** Longest time, in milliseconds: a day. Timers of the platforms overflow after less than 25 days. */
const DAY_MS = 86_400_000;

const text = z.string().min(1);
const positive = z.int().min(1);
const amount = z.int().min(0);
const milliseconds = z.int().min(1).max(DAY_MS);

function retryTime(env: string, fallback: number, description: string) {
  return defineSetting({ schema: milliseconds, default: fallback, env, description });
}

function count(env: string, fallback: number, description: string) {
  return defineSetting({ schema: positive, default: fallback, env, description, project: atMost });
}

function cap(env: string, fallback: number, description: string) {
  return defineSetting({ schema: amount, default: fallback, env, description, project: capAtMost });
}

/** Settings of a run: its workspace, its limits, and how a failed request is sent again. */
export const RUN_SETTINGS = {
  workspace: defineSetting({
    schema: text,
    default: '.',
    env: 'AGENT_WORKSPACE',
    values: 'a path; relative to the current folder or, in a file, to the folder of that file',
    description: 'Folder in which the agent works.',
  }),
  'limits.tokens': cap(
    'AGENT_TOKEN_BUDGET',
    200_000,
    'Tokens of one session, without those that are read from the prompt cache. 0: unlimited. The default is for scripts: where a person is present, only a chosen limit applies.',
  ),
  'limits.usd': defineSetting({
    schema: z.number().min(0),
    default: 0,
    env: 'KLAUS_BUDGET_USD',
    description: 'US dollars of one session. 0: unlimited.',
    project: capAtMost,
  }),
  'limits.toolCalls': cap(
    'AGENT_MAX_TOOL_CALLS',
    100,
    'Tool calls of one session. 0: unlimited. The default is for scripts: where a person is present, only a chosen limit applies.',
  ),
  'limits.turns': cap('KLAUS_MAX_TURNS', 0, 'Model turns of one session. 0: unlimited.'),
  'limits.minutes': cap(
    'KLAUS_MAX_MINUTES',
    0,
    'Minutes in which models work in one session, without tools and questions. 0: unlimited. Where a person is present, a model without a price has a limit of 60.',
  ),
  'usage.monthlyUsd': defineSetting({
    schema: z.number().min(0),
    default: 0,
    env: 'KLAUS_USAGE_MONTHLY_USD',
    description:
      'US dollars that you plan to spend per month. The usage page compares its forecast with it; no run is stopped. 0: no plan.',
  }),
  maxOutputTokens: count(
    'AGENT_MAX_TOKENS',
    8192,
    'Largest number of tokens of one answer of the model. After it has cut a tool call, answers of that run may have four times as many.',
  ),
  maxRetries: count(
    'AGENT_MAX_RETRIES',
    3,
    'Number of consecutive invalid tool inputs, or of consecutive continuations of a cut answer, after which a run ends.',
  ),
  'retry.attempts': defineSetting({
    schema: positive,
    default: 5,
    env: 'KLAUS_RETRY_ATTEMPTS',
    description: 'Requests to a model, including the first, before its failure ends the run.',
  }),
  'retry.baseMs': retryTime(
    'KLAUS_RETRY_BASE_MS',
    500,
    'Milliseconds before the first retry. They double with each further retry.',
  ),
  'retry.maxMs': retryTime('KLAUS_RETRY_MAX_MS', 30_000, 'Longest wait before a retry, in milliseconds.'),
  'retry.waitMs': defineSetting({
    schema: z
      .int()
      .min(0)
      .max(7 * DAY_MS),
    default: 0,
    env: 'KLAUS_RETRY_WAIT_MS',
    description:
      'Milliseconds from the first failure during which requests to a model that is unreachable, overloaded or limits the rate are retried any number of times. 0: `retry.attempts` applies.',
  }),
  'retry.idleMs': retryTime(
    'KLAUS_RETRY_IDLE_MS',
    60_000,
    'Milliseconds without received data after which a request fails whose answer has begun. Comments of the stream count as data.',
  ),
  'retry.firstTokenMs': defineSetting({
    schema: milliseconds,
    env: 'KLAUS_RETRY_FIRST_TOKEN_MS',
    unset: '`retry.idleMs` if that is set, otherwise 300000, or 3600000 for a server in the own network',
    description:
      'Milliseconds without received data after which a request fails whose answer has not begun, while the server loads the model or reads the prompt.',
  }),
  compactAt: defineSetting({
    schema: z.number().min(0.1).max(0.95),
    default: 0.8,
    env: 'KLAUS_COMPACT_AT',
    description: 'Part of the context window at which older messages are replaced by a summary.',
    project: 'free',
  }),
  maxPromptChars: count('AGENT_MAX_PROMPT_CHARS', 32_000, 'Largest number of characters of a prompt.'),
  maxToolOutputContext: count(
    'AGENT_MAX_TOOL_OUTPUT_CONTEXT',
    8000,
    'Largest number of characters of a tool result for the model. Longer ones are cut.',
  ),
  maxToolResultSize: count(
    'AGENT_MAX_TOOL_RESULT_SIZE',
    10_240,
    'Bytes of a tool result that are stored in the table of tool calls.',
  ),
  maxSearchResults: count('AGENT_MAX_SEARCH_RESULTS', 500, 'Largest number of results of a search.'),
} as const;
