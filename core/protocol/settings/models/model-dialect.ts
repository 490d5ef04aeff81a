import { z } from 'zod';

/** Kinds of servers and services that speak a wire format with differences of their own, by the name in the settings. */
export const SERVER_FAMILIES = [
  'openai',
  'azure',
  'openrouter',
  'gemini',
  'mistral',
  'deepseek',
  'moonshot',
  'minimax',
  'zai',
  'dashscope',
  'groq',
  'cerebras',
  'xai',
  'ollama',
  'llamacpp',
  'lmstudio',
  'vllm',
  'sglang',
  'litellm',
] as const;
export type ServerFamily = (typeof SERVER_FAMILIES)[number];

/** The parts of a request that servers and models expect in different forms. */
export const modelDialectSchema = z.strictObject({
  /** Field of the maximum number of output tokens (chat completions). */
  limit: z.enum(['max_tokens', 'max_completion_tokens']),
  /** How the usage of a streamed answer is requested (chat completions). */
  usage: z.enum(['stream_options', 'usage', 'none']),
  /** Field of the effort (chat completions). The last four only turn reasoning on and off. */
  effort: z.enum([
    'reasoning_effort',
    'reasoning',
    'thinking',
    'enable_thinking',
    'chat_template_kwargs',
    'chat_template_thinking',
    'none',
  ]),
  /** Role of the instructions (chat completions). */
  system: z.enum(['system', 'developer', 'user']),
  /** Form of the result of a tool: a text, or a list with one text part (chat completions). */
  results: z.enum(['text', 'parts']),
  /** Whether a result of a tool has the name of the tool (chat completions). */
  resultNames: z.boolean(),
  /** Whether `prompt_cache_key` is sent (chat completions, Responses). */
  cacheKey: z.boolean(),
  /** Whether `cache_control` is sent (Messages, and chat completions of OpenRouter). */
  cacheMark: z.boolean(),
  /** Whether `store: false` is sent (Responses). */
  store: z.boolean(),
  /** Whether tools have `strict: false` (Responses). */
  strict: z.boolean(),
  /** Whether `thinking: {type: adaptive}` is sent (Messages). */
  adaptiveThinking: z.boolean(),
});
export type ModelDialect = z.infer<typeof modelDialectSchema>;
