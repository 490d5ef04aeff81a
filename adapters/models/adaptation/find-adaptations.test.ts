import { expect, test } from 'vitest';
import { findAdaptations } from './find-adaptations.ts';

const CHAT = {
  model: 'm',
  tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: { type: 'object' } } }],
  messages: [
    { role: 'system', content: 's' },
    { role: 'user', content: 'Is temperature unsupported?' },
  ],
  max_tokens: 5,
  stream: true,
  stream_options: { include_usage: true },
  prompt_cache_key: 'S',
  usage: { include: true },
  cache_control: { type: 'ephemeral' },
  temperature: 0.2,
  reasoning_effort: 'high',
};
const MODERN = { ...CHAT, max_tokens: undefined, max_completion_tokens: 5 };
const RESPONSES = {
  model: 'm',
  tools: [{ type: 'function', name: 'look', strict: false, parameters: {} }],
  include: ['reasoning.encrypted_content'],
  store: false,
  input: [{ role: 'user', content: [] }],
  max_output_tokens: 5,
  stream: true,
  prompt_cache_key: 'S',
  reasoning: { effort: 'high' },
};
const MESSAGES = {
  model: 'm',
  thinking: { type: 'adaptive', display: 'summarized' },
  cache_control: { type: 'ephemeral' },
  system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: [] }],
  max_tokens: 5,
  stream: true,
  output_config: { effort: 'high' },
};

/** As OpenAI and Azure. */
const openai = (message: string, param: string | null, code: string | null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});
const google = (message: string) => [
  {
    error: {
      ...{ code: 400, message, status: 'INVALID_ARGUMENT' },
      details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ description: message }] }],
    },
  },
];
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const forbidden = (...names: string[]) =>
  names.map((name) => ({
    ...{ type: 'extra_forbidden', loc: ['body', ...name.split('.')], msg: 'Extra inputs are not permitted', input: 1 },
  }));
const MAX =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
const TO_NEW = { field: 'max_tokens', instead: 'max_completion_tokens' };
const TO_OLD = { field: 'max_completion_tokens', instead: 'max_tokens' };
const without = (field: string) => ({ field });

test.for<[server: string, sent: object, body: unknown, ...found: object[]]>([
  ['OpenAI, Azure', CHAT, openai(MAX, 'max_tokens', 'unsupported_parameter'), TO_NEW],
  ['a gateway that keeps the text alone', CHAT, { detail: MAX }, TO_NEW],
  [
    'a gateway that keeps the body as a text',
    CHAT,
    { message: JSON.stringify(openai(MAX, 'max_tokens', null)) },
    TO_NEW,
  ],
  [
    'OpenAI',
    CHAT,
    openai(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
    ),
    without('temperature'),
  ],
  [
    'OpenAI',
    CHAT,
    openai('Unrecognized request argument supplied: reasoning_effort', null, null),
    without('reasoning_effort'),
  ],
  [
    'OpenAI',
    RESPONSES,
    openai(
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      'reasoning.effort',
      'unsupported_parameter',
    ),
    without('reasoning.effort'),
  ],
  [
    'OpenAI',
    RESPONSES,
    openai('Encrypted content is not supported with this model.', 'include', null),
    without('include'),
  ],
  ['OpenAI', RESPONSES, openai("Unknown parameter: 'store'.", 'store', 'unknown_parameter'), without('store')],
  [
    'OpenAI',
    CHAT,
    openai(
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      'messages[0].role',
      'unsupported_value',
    ),
    { field: 'role', instead: 'developer' },
  ],
  [
    'DashScope',
    { ...CHAT, messages: [{ role: 'developer', content: 's' }] },
    openai(
      "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'",
      null,
      null,
    ),
    { field: 'role', instead: 'system' },
  ],
  [
    'Mistral',
    MODERN,
    { detail: forbidden('prompt_cache_key', 'max_completion_tokens') },
    without('prompt_cache_key'),
    TO_OLD,
  ],
  [
    'Mistral',
    MODERN,
    {
      object: 'error',
      message: { detail: forbidden('max_completion_tokens') },
      type: 'invalid_request_error',
      param: null,
    },
    TO_OLD,
  ],
  [
    'vLLM',
    MODERN,
    {
      ...{ object: 'error', type: 'BadRequestError', param: null, code: 400 },
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 8192}]",
    },
    TO_OLD,
  ],
  [
    'FastAPI',
    CHAT,
    { detail: [{ loc: ['body', 'stream_options'], msg: 'extra fields not permitted', type: 'value_error.extra' }] },
    without('stream_options'),
  ],
  ['a typed union', RESPONSES, { detail: forbidden('tools.0.function.strict') }, without('tools.*.strict')],
  [
    'Gemini',
    CHAT,
    google('Invalid JSON payload received. Unknown name "prompt_cache_key": Cannot find field.'),
    without('prompt_cache_key'),
  ],
  [
    'Gemini, several lines',
    CHAT,
    google(
      'Invalid JSON payload received. Unknown name "usage": Cannot find field.\nInvalid JSON payload received. Unknown name "cache_control": Cannot find field.',
    ),
    without('usage'),
    without('cache_control'),
  ],
  ['Groq', CHAT, openai("property 'prompt_cache_key' is unsupported", null, null), without('prompt_cache_key')],
  [
    'Groq',
    CHAT,
    openai("property 'reasoning_effort' is unsupported, did you mean 'temperature'?", null, null),
    without('reasoning_effort'),
  ],
  [
    'xAI',
    CHAT,
    { code: 'invalid-argument', error: 'Model grok-4-1-fast does not support parameter reasoningEffort.' },
    without('reasoning_effort'),
  ],
  [
    'xAI',
    CHAT,
    { code: 'x', error: 'Argument not supported on this model: reasoning_effort' },
    without('reasoning_effort'),
  ],
  [
    'Moonshot',
    CHAT,
    openai('invalid temperature: only 1 is allowed for this model', null, null),
    without('temperature'),
  ],
  [
    'LiteLLM',
    CHAT,
    openai(
      "litellm.UnsupportedParamsError: deepinfra does not support parameters: ['reasoning_effort'], for model=d. To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params dynamically send allowed_openai_params=['reasoning_effort'] in your request.",
      null,
      '400',
    ),
    without('reasoning_effort'),
  ],
  [
    'Bedrock, which lists what it accepts',
    { ...CHAT, thinking: { type: 'enabled' } },
    {
      message:
        'Failed to deserialize the JSON body into the target type: thinking: unknown field `thinking`, expected one of `messages`, `model`, `reasoning_effort`, `max_tokens`, `stream_options`, `temperature`',
    },
    without('thinking'),
  ],
  [
    'Ollama',
    { ...CHAT, thinking: { type: 'enabled' } },
    { error: '"m" does not support thinking' },
    without('thinking'),
  ],
  ['Messages', MESSAGES, anthropic('cache_control: Extra inputs are not permitted'), without('cache_control')],
  [
    'Messages',
    MESSAGES,
    anthropic('system.0.cache_control: Extra inputs are not permitted'),
    without('system.*.cache_control'),
  ],
  ['Messages', MESSAGES, anthropic('output_config: Extra inputs are not permitted'), without('output_config')],
  [
    'Messages',
    MESSAGES,
    anthropic('This model does not support the effort parameter.'),
    without('output_config.effort'),
  ],
  ['Messages', MESSAGES, anthropic('adaptive thinking is not supported on this model'), without('thinking')],
  ['Messages', MESSAGES, anthropic('thinking.display: Extra inputs are not permitted'), without('thinking.display')],
  [
    'Messages',
    MESSAGES,
    {
      detail: [
        { type: 'union_tag_invalid', loc: ['body', 'thinking', 'type'], msg: "Input tag 'adaptive' is not expected" },
      ],
    },
    without('thinking'),
  ],
])('%s', ([, sent, body, ...found]) => {
  expect(
    findAdaptations({ status: 400, body }, JSON.parse(JSON.stringify(sent)) as Record<string, unknown>, []),
  ).toEqual(found);
});

test.for<[what: string, sent: object, body: unknown]>([
  [
    'a limit that is too large',
    CHAT,
    openai(
      "'max_tokens' is too large: 8192. This model supports at most 4096 completion tokens.",
      'max_tokens',
      'invalid_value',
    ),
  ],
  [
    'a limit beyond the window',
    CHAT,
    openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 9000 tokens and your request has 2000 input tokens",
      null,
      '400',
    ),
  ],
  [
    'a limit of Responses',
    RESPONSES,
    openai("Unsupported parameter: 'max_output_tokens'", 'max_output_tokens', 'unsupported_parameter'),
  ],
  [
    'an image',
    CHAT,
    { error: { code: 500, message: 'image input is not supported - hint: start with --mmproj', type: 'server_error' } },
  ],
  ['tools', CHAT, { error: 'registry.ollama.ai/library/m does not support tools' }],
  [
    'a schema of a tool',
    CHAT,
    google(
      'Invalid JSON payload received. Unknown name "const" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
    ),
  ],
  [
    'a model',
    CHAT,
    openai('The model `m` does not exist or you do not have access to it.', 'model', 'model_not_found'),
  ],
  [
    'the window',
    CHAT,
    openai("This model's maximum context length is 4096 tokens.", 'messages', 'context_length_exceeded'),
  ],
  ['a word of the language', CHAT, openai('This usage of the API is not allowed.', null, null)],
  [
    'a field that was not sent',
    CHAT,
    openai("Unsupported parameter: 'logprobs' is not supported with this model.", 'logprobs', 'unsupported_parameter'),
  ],
  ['text without meaning', CHAT, '<html>Bad Request</html>'],
  ['nothing', CHAT, undefined],
])('%s is no reason to send other parameters', ([, sent, body]) => {
  expect(findAdaptations({ status: 400, body }, sent as Record<string, unknown>, [])).toEqual([]);
});

test('another status, and a server that refuses both names of the limit', () => {
  const body = openai(MAX, 'max_tokens', 'unsupported_parameter');
  for (const status of [401, 404, 429, 500]) expect(findAdaptations({ status, body }, CHAT, [])).toEqual([]);
  const again = openai(
    "Unsupported parameter: 'max_completion_tokens'",
    'max_completion_tokens',
    'unsupported_parameter',
  );
  expect(findAdaptations({ status: 422, body: again }, MODERN, [TO_NEW])).toEqual([]);
});
