import type { ModelDialect } from '@klaus/core/protocol';
import { SERVER_FAMILIES } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { findDialect, findFamily } from './find-dialect.ts';
import { MODELS, SERVERS } from './families.ts';

const OWN = 'http://10.0.0.7:8000/v1';

test.for<[baseUrl: string, family: string | undefined]>([
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://api.openai.com.example.com/v1', undefined],
  ['https://example.com/api.openai.com', undefined],
  ['https://r.openai.azure.com/openai/v1', 'azure'],
  ['https://r.services.ai.azure.com/models', 'azure'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
  ['https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi', 'gemini'],
  ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'dashscope'],
  ['http://127.0.0.1:11434/v1', 'ollama'],
  ['http://nas.local:1234/v1', 'lmstudio'],
  [OWN, undefined],
])('%s is a server of the family %s', ([baseUrl, family]) => {
  expect(findFamily(baseUrl)).toBe(family);
});

test.for<[baseUrl: string, id: string, dialect: Partial<ModelDialect>, efforts?: readonly string[]]>([
  [
    'https://api.openai.com/v1',
    'gpt-4o',
    { limit: 'max_completion_tokens', cacheKey: true, effort: 'reasoning_effort' },
  ],
  ['https://r.openai.azure.com/openai/v1', 'my-deployment', { limit: 'max_completion_tokens', cacheKey: false }],
  // The id decides where the server is unknown.
  [OWN, 'gpt-6-sol', { limit: 'max_completion_tokens' }, ['low', 'medium', 'high']],
  [OWN, 'azure/gpt-5-mini', { limit: 'max_completion_tokens' }, ['low', 'medium', 'high']],
  [OWN, 'o4-mini', { limit: 'max_completion_tokens' }, ['low', 'medium', 'high']],
  [OWN, 'gpt-4o', { limit: 'max_tokens' }],
  [
    OWN,
    'some-model',
    { limit: 'max_tokens', usage: 'stream_options', cacheKey: false, system: 'system', results: 'text' },
  ],
  [OWN, 'openai/gpt-oss-120b', { limit: 'max_tokens', effort: 'reasoning_effort' }, ['low', 'medium', 'high']],
  [OWN, 'Qwen/Qwen3-32B', { effort: 'chat_template_kwargs' }, ['low', 'high']],
  ['https://dashscope.aliyuncs.com/compatible-mode/v1', 'qwen3-32b', { effort: 'enable_thinking' }, ['low', 'high']],
  ['http://127.0.0.1:11434/v1', 'qwen3:32b', { effort: 'reasoning_effort' }, ['low', 'high']],
  [
    'https://openrouter.ai/api/v1',
    'openai/gpt-6-sol',
    { limit: 'max_tokens', usage: 'usage', effort: 'reasoning' },
    ['low', 'medium', 'high'],
  ],
  [
    'https://api.mistral.ai/v1',
    'mistral-medium-latest',
    { limit: 'max_tokens', usage: 'none', cacheKey: false },
    ['high'],
  ],
  [
    'https://api.deepseek.com',
    'deepseek-v4-pro',
    { limit: 'max_tokens', effort: 'reasoning_effort' },
    ['low', 'high', 'max'],
  ],
  ['https://api.moonshot.ai/v1', 'kimi-k2.6', { limit: 'max_completion_tokens', effort: 'thinking' }, ['low', 'high']],
  ['https://api.minimax.io/v1', 'MiniMax-M2.5', { limit: 'max_completion_tokens' }],
  ['https://api.z.ai/api/paas/v4', 'glm-4.7', { usage: 'none', effort: 'thinking' }, ['low', 'high']],
  ['https://api.z.ai/api/paas/v4', 'glm-5.3', { effort: 'reasoning_effort' }, ['low', 'high', 'max']],
  ['https://api.groq.com/openai/v1', 'openai/gpt-oss-20b', { cacheKey: false }, ['low', 'medium', 'high']],
  ['https://api.x.ai/v1', 'grok-4-fast', {}, undefined],
  ['https://api.x.ai/v1', 'grok-4.3', { effort: 'reasoning_effort' }, ['low', 'medium', 'high']],
])('%s, %s', ([baseUrl, id, dialect, efforts]) => {
  const found = findDialect({ baseUrl, id });
  expect(found.dialect).toMatchObject(dialect);
  expect(found.accepted.efforts).toEqual(efforts);
});

test('the words of the user count most, and the family can be given', () => {
  const { dialect } = findDialect({ baseUrl: OWN, id: 'glm-4.7', family: 'zai', given: { usage: 'stream_options' } });
  expect(dialect).toMatchObject({ usage: 'stream_options', effort: 'thinking' });
});

test.for<[id: string, images: boolean | undefined]>([
  ['deepseek-v4-pro', false],
  ['deepseek-vl2', undefined],
  ['gpt-oss:20b', false],
  ['glm-4.6v', undefined],
  ['glm-4.7', false],
  ['qwen3-coder-plus', false],
  ['qwen3-vl-32b', undefined],
  ['kimi-k2-instruct', false],
  ['kimi-k2.6', undefined],
  ['unknown', undefined],
])('%s sees images: %s', ([id, images]) => {
  expect(findDialect({ baseUrl: OWN, id }).images).toBe(images);
});

test('models that accept no temperature', () => {
  for (const id of ['gpt-6-sol', 'o3', 'claude-opus-5-5', 'kimi-k2.6'])
    expect(findDialect({ baseUrl: OWN, id }).accepted.maxTemperature).toBeUndefined();
  for (const id of ['gpt-4o', 'gpt-5-chat', 'unknown'])
    expect(findDialect({ baseUrl: OWN, id }).accepted.maxTemperature).toBe(2);
});

test('each row of the table can be found, and no address belongs to two families', () => {
  expect(Object.keys(SERVERS)).toEqual([...SERVER_FAMILIES]);
  const at = SERVER_FAMILIES.flatMap((family) => SERVERS[family].at?.source ?? []);
  expect(new Set(at).size).toBe(at.length);
  expect(new Set(MODELS.map(({ id }) => id.source)).size).toBe(MODELS.length);
});
