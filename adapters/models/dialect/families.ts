import type { ModelDialect, ServerFamily } from '@klaus/core/protocol';
import { UP_TO_HIGH, UP_TO_MAX, type AcceptedSampling } from '../catalog/catalog-entry.ts';
import { LLAMACPP } from '../local/llamacpp.ts';
import { LMSTUDIO } from '../local/lmstudio.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { OLLAMA } from '../local/ollama.ts';
import { VLLM } from '../local/vllm.ts';

export type EffortField = ModelDialect['effort'];

export interface ServerRow {
  /** Hosts of the service, or the usual port of the program. None: only the setting `family` names it. */
  readonly at?: RegExp;
  /** Name of the header with the key. Default: `authorization`, as a bearer token. */
  readonly keyHeader?: string;
  readonly dialect: Partial<ModelDialect>;
  /** The field that turns reasoning on and off here, for models that have only that. */
  readonly toggle?: EffortField;
  /** A program that Klaus looks for, so that its models can be used without settings, as `FAMILY/ID`. */
  readonly program?: LocalProgram;
}

export interface ModelRow extends AcceptedSampling {
  /** Of the last part of the id, in lower case. */
  readonly id: RegExp;
  readonly images?: boolean;
  readonly dialect?: Partial<ModelDialect>;
}

const MAX_TOKENS = { limit: 'max_tokens' } as const;
const MAX_COMPLETION_TOKENS = { limit: 'max_completion_tokens' } as const;
const LOCAL = { dialect: MAX_TOKENS, toggle: 'chat_template_kwargs' } as const;

/**
 * Servers by family. What a row says replaces what the model's row says. Sources: the API reference of each service, and
 * the texts with which they reject other fields. A hosted service that is not here gets the common subset.
 */
export const SERVERS: Readonly<Record<ServerFamily, ServerRow>> = {
  openai: { at: /^(?:[a-z]+\.)?api\.openai\.com$/, dialect: { ...MAX_COMPLETION_TOKENS, cacheKey: true } },
  azure: {
    at: /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/,
    keyHeader: 'api-key',
    dialect: MAX_COMPLETION_TOKENS,
  },
  openrouter: {
    at: /^openrouter\.ai$/,
    dialect: { ...MAX_TOKENS, usage: 'usage', effort: 'reasoning', cacheMark: true },
  },
  gemini: { at: /^(?:generativelanguage|[\w-]*aiplatform)\.googleapis\.com$/, dialect: MAX_TOKENS },
  // Rejects every field that it does not know, and always sends the usage.
  mistral: { at: /^(?:api|codestral)\.mistral\.ai$/, dialect: { ...MAX_TOKENS, usage: 'none' } },
  deepseek: { at: /^api\.deepseek\.com$/, dialect: MAX_TOKENS },
  moonshot: { at: /^api\.(?:moonshot\.(?:ai|cn)|kimi\.com)$/, dialect: MAX_COMPLETION_TOKENS, toggle: 'thinking' },
  minimax: { at: /^api\.minimaxi?\.(?:io|com|chat)$/, dialect: MAX_COMPLETION_TOKENS },
  // Always sends the usage.
  zai: { at: /^(?:api\.z\.ai|open\.bigmodel\.cn)$/, dialect: { ...MAX_TOKENS, usage: 'none' }, toggle: 'thinking' },
  dashscope: { at: /^dashscope[\w-]*\.aliyuncs\.com$/, dialect: MAX_TOKENS, toggle: 'enable_thinking' },
  groq: { at: /^api\.groq\.com$/, dialect: MAX_COMPLETION_TOKENS },
  cerebras: { at: /^api\.cerebras\.ai$/, dialect: MAX_COMPLETION_TOKENS },
  xai: { at: /^api\.x\.ai$/, dialect: MAX_TOKENS },
  ollama: { at: /^ollama\.com$|:11434$/, dialect: { ...MAX_TOKENS, effort: 'reasoning_effort' }, program: OLLAMA },
  llamacpp: { ...LOCAL, program: LLAMACPP },
  lmstudio: { ...LOCAL, at: /:1234$/, program: LMSTUDIO },
  vllm: { ...LOCAL, program: VLLM },
  sglang: LOCAL,
  // Translates for the service behind it, of which the model is known at most.
  litellm: { dialect: {} },
};

const EFFORT = { effort: 'reasoning_effort' } as const;
const TOGGLED = { efforts: ['low', 'high'] } as const;
const LOW_HIGH_MAX = { efforts: ['low', 'high', 'max'], dialect: EFFORT } as const;

/** Models by id; the first row that matches applies. An absent field is left to the server's row and the common subset. */
export const MODELS: readonly ModelRow[] = [
  { id: /^gpt-oss/, efforts: UP_TO_HIGH, maxTemperature: 2, images: false, dialect: EFFORT },
  { id: /^(?:gpt-[5-9].*chat|chatgpt)/, maxTemperature: 2, dialect: MAX_COMPLETION_TOKENS },
  { id: /^(?:gpt-[5-9]|o[1-9])/, efforts: UP_TO_HIGH, dialect: { ...MAX_COMPLETION_TOKENS, ...EFFORT } },
  { id: /^claude-(?:opus|sonnet|haiku|fable)-(?:4-[7-9]|[5-9])/, efforts: UP_TO_MAX, dialect: EFFORT },
  { id: /^claude/, maxTemperature: 1 },
  { id: /^gemini-(?:2\.5|[3-9])/, efforts: UP_TO_HIGH, maxTemperature: 2, dialect: EFFORT },
  { id: /^(?:magistral|mistral-(?:small|medium))/, efforts: ['high'], maxTemperature: 1, dialect: EFFORT },
  { id: /^(?:codestral|devstral|ministral)/, maxTemperature: 1, images: false },
  { id: /^deepseek-(?:v[4-9]|flash)/, ...LOW_HIGH_MAX, maxTemperature: 2, images: false },
  { id: /^deepseek-(?!vl|ocr)/, maxTemperature: 2, images: false },
  // Accepts only the temperature of its mode.
  { id: /^kimi-(?:k2\.[5-9]|k[3-9])/, ...TOGGLED, dialect: { effort: 'chat_template_thinking' } },
  { id: /^kimi-k2/, maxTemperature: 1, images: false },
  { id: /^minimax-m[12]/, maxTemperature: 1, images: false },
  { id: /^glm-[\w.]*v/, ...TOGGLED, maxTemperature: 1, dialect: { effort: 'chat_template_kwargs' } },
  { id: /^glm-5\.[2-9]/, ...LOW_HIGH_MAX, maxTemperature: 1, images: false },
  {
    id: /^glm-(?:4\.[5-9]|5)/,
    ...TOGGLED,
    maxTemperature: 1,
    images: false,
    dialect: { effort: 'chat_template_kwargs' },
  },
  { id: /^qwen[\d.]*-?coder/, maxTemperature: 2, images: false },
  {
    id: /^(?:qwen3|qwen-(?:plus|flash|max))/,
    ...TOGGLED,
    maxTemperature: 2,
    dialect: { effort: 'chat_template_kwargs' },
  },
  { id: /^grok-(?:4\.[3-9]|[5-9])/, efforts: UP_TO_HIGH, maxTemperature: 2, dialect: EFFORT },
];
