import { expect, test } from 'vitest';
import type { ModelFailure } from '@klaus/core/agent';
import { ProviderError } from './errors.ts';
import { toFailure } from './failure.ts';

const judge = (status: number | undefined, body: unknown): ModelFailure =>
  toFailure(new ProviderError({ status, body }), 0)!;
const nested = JSON.stringify({ error: { message: 'inner words', code: 'model_not_found' } });

/** Bodies of servers, and what they say. */
const SHAPES: [name: string, body: unknown, words: string][] = [
  ['OpenAI', { error: { message: 'own words', type: 'invalid_request_error', param: null, code: null } }, 'own words'],
  ['Anthropic', { type: 'error', error: { type: 'invalid_request_error', message: 'own words' } }, 'own words'],
  ['Google', [{ error: { code: 400, message: 'own words', status: 'INVALID_ARGUMENT' } }], 'own words'],
  ['FastAPI, a text', { detail: 'own words' }, 'own words'],
  [
    'FastAPI, a list',
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: 'own words' }] },
    'body.x: own words',
  ],
  ['Ollama', { error: 'own words' }, 'own words'],
  [
    'OpenRouter',
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: nested } } },
    'inner words',
  ],
  ['OpenRouter, text', { error: { message: 'Provider returned error', metadata: { raw: 'own words' } } }, 'own words'],
  ['Azure', { error: { code: 'x', message: 'general', innererror: { code: 'y', message: 'own words' } } }, 'own words'],
  ['AWS', { __type: 'com.amazon.coral#ValidationException', Message: 'own words' }, 'own words'],
  ['a message that is JSON', { message: nested }, 'inner words'],
  ['a list of errors', { errors: [{ message: 'own words' }, { message: 'more' }] }, 'own words: more'],
  ['a message with a code', { message: 'own words', code: 402 }, 'own words'],
  ['vLLM', { object: 'error', message: 'own words', type: 'BadRequestError', code: 400 }, 'own words'],
  ['XML', '<Error><Code>AccessDenied</Code><Message>own words</Message></Error>', 'own words'],
  ['a text', 'own words\n', 'own words'],
  ['a text of JSON', JSON.stringify({ error: 'own words' }), 'own words'],
  ['an unknown shape', { failed: { because: 'own words' } }, 'own words'],
];

test.each(SHAPES)('%s: the message is what the server said, and the body is kept', (_, body, words) => {
  for (const status of [400, 404, 500, undefined]) {
    const failure = judge(status, body);
    expect(failure.message).toContain(words);
    expect(failure.body).toContain(words.split(': ').at(-1));
  }
});

test('a page has its title instead of its markup, and says nothing about the key', () => {
  const page =
    '<!DOCTYPE html><html><head><title>Just a&nbsp;moment&#8230;</title></head><body><h1>x</h1></body></html>';
  expect(judge(403, page)).toMatchObject({ code: 'invalid_request', cause: 'blocked', status: 403 });
  expect(judge(403, page).message).toMatch(/403.*Just a moment…/);
  expect(judge(403, page).message).not.toContain('<');
  expect(judge(502, page)).toMatchObject({ code: 'server_error' });
  expect(judge(404, page)).toMatchObject({ code: 'invalid_request', cause: 'wrong_address' });
  expect(judge(403, { error: { message: 'no access', type: 'permission_error' } }).code).toBe('auth');
});

test('an empty body leaves the status', () => {
  for (const body of ['', {}, undefined, null]) expect(judge(418, body).message).toContain('418');
});

const CAUSES: [status: number | undefined, body: unknown, expected: Partial<ModelFailure>][] = [
  [
    404,
    { error: { message: 'model "x" not found, try pulling it first', type: 'api_error' } },
    { cause: 'unknown_model' },
  ],
  [404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }, { cause: 'unknown_model' }],
  [400, { error: { message: 'x/y is not a valid model ID', code: 400 } }, { cause: 'unknown_model' }],
  [400, { error: { message: 'model x does not support tools' } }, { cause: undefined }],
  [404, '404 page not found', { cause: 'wrong_address' }],
  [404, { detail: 'Not Found' }, { cause: 'wrong_address' }],
  [402, { error: { message: 'Please pay' } }, { cause: 'no_credit' }],
  [400, { error: { message: 'Your credit balance is too low' } }, { cause: 'no_credit' }],
  [
    500,
    { error: { code: 500, message: 'image input is not supported - hint: …', type: 'server_error' } },
    { code: 'invalid_request' },
  ],
  [500, { error: { message: 'the image could not be loaded' } }, { code: 'server_error' }],
  [429, { error: { message: 'Insufficient balance', code: '1113' } }, { code: 'invalid_request', cause: 'no_credit' }],
  [
    429,
    { error: { message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED' } },
    { code: 'rate_limited' },
  ],
  [400, { error: { message: 'Unsupported', param: 'max_x', code: 'unsupported_parameter' } }, { cause: 'parameter' }],
  [
    400,
    [
      {
        error: {
          code: 400,
          message: 'API key not valid.',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      },
    ],
    { code: 'auth' },
  ],
  [
    400,
    { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } },
    { code: 'auth' },
  ],
  [400, { __type: 'UnrecognizedClientException', message: 'x' }, { code: 'auth' }],
  // In a stream or instead of one.
  [undefined, { message: 'quota exhausted', code: 402 }, { code: 'invalid_request', cause: 'no_credit' }],
  [undefined, { error: { message: 'Invalid API key', type: 'authentication_error' } }, { code: 'auth' }],
  [undefined, { error: 'Unauthorized' }, { code: 'auth' }],
  [undefined, { error: 'model "x" not found' }, { code: 'invalid_request', cause: 'unknown_model' }],
  [undefined, { error: { message: 'x', type: 'invalid_request_error' } }, { code: 'invalid_request' }],
  [undefined, { error: 'model runner has unexpectedly stopped' }, { code: 'server_error' }],
  [undefined, { error: { message: 'slot unavailable' } }, { code: 'server_error' }],
];

test.each(CAUSES)('%s %j', (status, body, expected) => {
  const { code, cause } = judge(status, body);
  expect({ code, cause }).toMatchObject(expected);
});

/** What servers answer to a prompt that is too long, and the window that they name. */
const OVERFLOWS: [name: string, status: number | undefined, body: unknown, window: number | undefined][] = [
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'request (60179 tokens) exceeds the available context size (60160 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 60_179,
        n_ctx: 60_160,
      },
    },
    60_160,
  ],
  ['llama.cpp, by its fields', 400, { error: { message: 'no', n_prompt_tokens: 9_000, n_ctx: 8_192 } }, 8_192],
  [
    'llama.cpp, earlier',
    500,
    'the request exceeds the available context size. try increasing the context size',
    undefined,
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096. …',
      code: 400,
    },
    4_096,
  ],
  [
    'OpenAI',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
        code: 'context_length_exceeded',
      },
    },
    128_000,
  ],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
    ],
    1_048_576,
  ],
  ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 300 tokens' }, undefined],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough.',
    },
    2_048,
  ],
  [
    'LM Studio, in the stream',
    undefined,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
    },
    4_096,
  ],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }, undefined],
  [
    'Bedrock, counts',
    400,
    { message: 'Too many input tokens. Max input tokens: 8192, request input token count: 9000' },
    8_192,
  ],
  [
    'Azure',
    400,
    { error: { code: 'BadRequest', message: 'refused', innererror: { code: 'ContextLengthExceeded' } } },
    undefined,
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      code: '3051',
    },
    32_768,
  ],
  [
    'Groq',
    400,
    { error: { message: 'Please reduce the length of the messages or completion.', param: 'messages' } },
    undefined,
  ],
  [
    'Together',
    422,
    { error: { message: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000' } },
    4_096,
  ],
  [
    'xAI',
    400,
    { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    131_072,
  ],
  ['Anthropic', 400, { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }, 200_000],
  [
    'Moonshot',
    400,
    { error: { message: 'Your request exceeded model token limit : 65536 (requested : 70000)' } },
    65_536,
  ],
  ['DashScope', 400, { error: { message: 'Range of input length should be [1, 98304]' } }, 98_304],
  ['Copilot', 400, { error: { message: 'prompt token count of 130000 exceeds the limit of 128000' } }, 128_000],
  [
    'SGLang',
    400,
    { message: "The input (35000 tokens) is longer than the model's context length (32768 tokens).", code: 400 },
    32_768,
  ],
  ['a server that limits bytes', 413, '<html><title>413 Request Entity Too Large</title></html>', undefined],
  [
    'GitHub',
    413,
    { error: { code: 'tokens_limit_reached', message: 'Request body too large. Max size: 8000 tokens.' } },
    undefined,
  ],
  [
    'a gateway',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"x","type":"exceed_context_size_error","n_ctx":4096,"n_prompt_tokens":5000}}',
        },
      },
    },
    4_096,
  ],
];

test.each(OVERFLOWS)('%s: a prompt that is too long', (_, status, body, window) => {
  const failure = judge(status, body);
  expect(failure).toMatchObject({ code: 'context_window' });
  expect(failure.sizes?.contextWindow).toBe(window);
});

test('limits of a time are no window', () => {
  expect(judge(429, { error: { message: 'Too many tokens, please wait' } }).code).toBe('rate_limited');
  const perMinute = 'Request too large on tokens per minute (TPM): Limit 6000, Requested 7000';
  expect(judge(413, { error: { message: perMinute } }).sizes).toBeUndefined();
});

/** The answer is too long, with the length that fits and the sizes of the model. */
const OUTPUTS: [message: string, fits: number, sizes: object | undefined][] = [
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 9000 tokens and your request has 2000 input tokens (8192 > 9000 - 2000).",
    7_000,
    { contextWindow: 9_000 },
  ],
  [
    "This model's maximum context length is 9000 tokens. However, you requested 10192 tokens (2000 in the messages, 8192 in the completion).",
    7_000,
    { contextWindow: 9_000 },
  ],
  [
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease',
    11_760,
    { contextWindow: 200_000 },
  ],
  [
    'max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.',
    4_096,
    { maxOutputTokens: 4_096 },
  ],
  ['max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens', 4_096, { maxOutputTokens: 4_096 }],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 4096]', 4_096, { maxOutputTokens: 4_096 }],
];

test.each(OUTPUTS)('an answer that is too long: %s', (message, fits, sizes) => {
  const failure = judge(400, { error: { message } });
  expect(failure).toMatchObject({ code: 'invalid_request', cause: 'output_limit', maxAnswerTokens: fits });
  expect(failure.sizes).toEqual(sizes);
});

test('where no room for an answer is left, the prompt is too long', () => {
  const message =
    "This model's maximum context length is 9000 tokens and your request has 8500 input tokens. max_tokens";
  expect(judge(400, { error: { message } })).toMatchObject({ code: 'context_window', sizes: { contextWindow: 9_000 } });
});
