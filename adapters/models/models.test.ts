import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cost } from '@klaus/core/agent';
import { effortLevelSchema, isKlausError, type KlausError } from '@klaus/core/protocol';
import { PROVIDER_NAMES } from '@klaus/core/provider-table';
import { createModels, findEntry, listModels, PROVIDERS, toModelInfo, type ModelsOptions } from './index.ts';

const ANTHROPIC = { anthropic: 'a' };
const TOKEN = { anthropicToken: 't' };
const OPENAI = { openai: 'o' };
const OPENROUTER = { openrouter: 'r' };

async function errorOf(options: ModelsOptions, name: string): Promise<KlausError> {
  const error = await createModels(options)
    .resolve(name)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!isKlausError(error)) throw new Error(`no KlausError for ${name}: ${String(error)}`);
  return error;
}

test.each<[name: string, keys: ModelsOptions['keys'], full: string]>([
  ['anthropic/claude-opus-5-5', ANTHROPIC, 'anthropic/claude-opus-5-5'],
  ['anthropic/claude-not-yet-9', TOKEN, 'anthropic/claude-not-yet-9'],
  ['openai/gpt-6-sol', OPENAI, 'openai/gpt-6-sol'],
  ['openai/gpt-6-sol', OPENROUTER, 'openrouter/openai/gpt-6-sol'],
  ['openrouter/z-ai/glm-5.2', OPENROUTER, 'openrouter/z-ai/glm-5.2'],
  ['openrouter/some/new-model', OPENROUTER, 'openrouter/some/new-model'],
  ['sonnet', ANTHROPIC, 'anthropic/claude-sonnet-5-5'],
  ['sonnet', { ...OPENAI, ...OPENROUTER }, `openai/${PROVIDERS.openai.tiers.sonnet}`],
  ['haiku', { ...ANTHROPIC, ...OPENAI }, 'anthropic/claude-haiku-5-5'],
  ['opus', OPENROUTER, `openrouter/${PROVIDERS.openrouter.tiers.opus}`],
  ['claude-haiku-5-5', ANTHROPIC, 'anthropic/claude-haiku-5-5'],
  ['claude-opus-4-5', ANTHROPIC, 'anthropic/claude-opus-4-5'],
  ['gpt-6-luna', OPENAI, 'openai/gpt-6-luna'],
  ['gpt-6-luna', OPENROUTER, 'openrouter/openai/gpt-6-luna'],
  ['gpt-4', OPENROUTER, 'openrouter/openai/gpt-4'],
  ['gpt-4', { ...ANTHROPIC, ...OPENROUTER }, 'openrouter/openai/gpt-4'],
  ['gpt-4', { ...OPENAI, ...OPENROUTER }, 'openai/gpt-4'],
  ['openrouter/gpt-4', { ...OPENAI, ...OPENROUTER }, 'openrouter/openai/gpt-4'],
  ['openrouter/openai/gpt-4o-mini', OPENROUTER, 'openrouter/openai/gpt-4o-mini'],
  ['openai/gpt-4o-mini', OPENROUTER, 'openrouter/openai/gpt-4o-mini'],
  ['openai/gpt-4o-mini', { ...OPENAI, ...OPENROUTER }, 'openai/gpt-4o-mini'],
  ['gpt-4o-mini', OPENROUTER, 'openrouter/openai/gpt-4o-mini'],
  ['glm-5.2', { ...ANTHROPIC, ...OPENROUTER }, 'openrouter/z-ai/glm-5.2'],
  ['z-ai/glm-5.2', OPENROUTER, 'openrouter/z-ai/glm-5.2'],
  ['some/new-model', OPENROUTER, 'openrouter/some/new-model'],
  ['claude-opus-5.5', OPENROUTER, 'openrouter/anthropic/claude-opus-5.5'],
  ['anthropic/claude-opus-5.5', OPENROUTER, 'openrouter/anthropic/claude-opus-5.5'],
  ['anthropic/claude-opus-5.5', { ...ANTHROPIC, ...OPENROUTER }, 'anthropic/claude-opus-5.5'],
])('%s with %o is %s', async (name, keys, full) => {
  const models = createModels({ keys });
  const model = await models.resolve(name);
  expect(model.name).toBe(full);
  // The same model every time: what it converted of the history is kept.
  expect(await models.resolve(full)).toBe(model);
});

test.each([
  ['openai/gpt-6-sol', 'openrouter/openai/gpt-6-sol'],
  ['gpt-4', 'openrouter/openai/gpt-4'],
  ['claude-opus-5.5', 'openrouter/anthropic/claude-opus-5.5'],
])('%s through OpenRouter is reported once', async (name, full) => {
  const notices: string[] = [];
  const models = createModels({ keys: OPENROUTER, onNotice: (text) => notices.push(text) });
  await models.resolve(name);
  await models.resolve(name);
  expect(notices).toEqual([expect.stringContaining(full)]);
});

test.each([
  ['gpt-4', { openai: 'http://127.0.0.1:1' }],
  ['gpt-6-luna', { openai: 'http://127.0.0.1:1' }],
])('a bare %s goes to a server of one’s own before OpenRouter', async (name, baseUrls) => {
  expect((await createModels({ keys: OPENROUTER, baseUrls }).resolve(name)).name).toBe(`openai/${name}`);
});

test.each(['gpt-4', 'claude-opus-5.5', 'glm-5.2'])('a bare %s without a key that fits', async (name) => {
  expect((await errorOf({ keys: {} }, name)).code).toBe('auth');
});

test.each([
  ['claude-sonet-5-5', 'claude-sonnet-5-5'],
  ['sonet', 'sonnet'],
  ['gpt-6-lunar', 'gpt-6-luna'],
  ['antropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
  ['z-ai/glm-5.2', 'openrouter/z-ai/glm-5.2'],
  ['claude-opus-5.5', 'claude-opus-5-5'],
])('%s is unknown, and %s is offered', async (name, match) => {
  const error = await errorOf({ keys: { ...ANTHROPIC, ...OPENROUTER } }, name);
  expect(error.code).toBe('model.unknown');
  expect(error.hint).toMatch(new RegExp(`^[^,]*(?<![\\w/-])${match}(?![\\w/-])[^,]*$`));
});

test.each(['opus', 'claude-opus-5-5', 'openai/gpt-6-sol', 'openrouter/z-ai/glm-5.2'])(
  '%s without any key',
  async (name) => {
    const error = await errorOf({ keys: {} }, name);
    expect(error.code).toBe('auth');
    for (const variable of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY']) {
      expect(error.message).toContain(variable);
    }
    expect(error.hint).toContain('klaus demo');
  },
);

test('with the key of another provider only, the missing variable is named', async () => {
  const error = await errorOf({ keys: OPENAI }, 'anthropic/claude-opus-5-5');
  expect(error.code).toBe('auth');
  expect(error.message).toContain('ANTHROPIC_API_KEY');
  expect(error.message).toContain('ANTHROPIC_AUTH_TOKEN');
});

test('a model that is not allowed is refused, and the cheap one is then the model itself', async () => {
  const options: ModelsOptions = { keys: ANTHROPIC, allow: ['anthropic/claude-opus-*'] };
  expect((await errorOf(options, 'haiku')).code).toBe('config');
  const models = createModels(options);
  const opus = await models.resolve('opus');
  expect(await models.cheap(opus)).toBe(opus);
});

test('the cheap model is the haiku tier of the same provider, as configured', async () => {
  const models = createModels({
    keys: { ...ANTHROPIC, ...OPENROUTER },
    tiers: { openrouter: { haiku: 'z-ai/glm-5.2' } },
  });
  expect((await models.cheap(await models.resolve('opus'))).name).toBe('anthropic/claude-haiku-5-5');
  expect((await models.cheap(await models.resolve('openrouter/deepseek/deepseek-v4-pro'))).name).toBe(
    'openrouter/z-ai/glm-5.2',
  );
});

test('an unknown id has no price, unless one is configured', async () => {
  const price = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
  const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const name = 'anthropic/claude-not-yet-9';
  expect(cost((await createModels({ keys: ANTHROPIC }).resolve(name)).info, usage)).toBeNull();
  expect(cost((await createModels({ keys: ANTHROPIC, prices: { [name]: price } }).resolve(name)).info, usage)).toBe(1);
});

test('an id that ends soon is reported', async () => {
  const noticesOn = async (date: string) => {
    const notices: string[] = [];
    const models = createModels({
      keys: ANTHROPIC,
      onNotice: (text) => notices.push(text),
      now: () => Date.parse(date),
    });
    await models.resolve('claude-sonnet-4-5');
    return notices;
  };
  expect(await noticesOn('2026-01-01')).toEqual([]);
  const before = await noticesOn('2026-11-21');
  const after = await noticesOn('2027-01-01');
  for (const notices of [before, after]) expect(notices).toEqual([expect.stringContaining('2026-11-30')]);
  expect(after).not.toEqual(before);
});

test('a server of one’s own is used without a key, in the compatible dialect', async () => {
  let seen: { authorization?: string; path?: string; body: string } | undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen = { authorization: request.headers.authorization, path: request.url, body };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // As small servers do: no index, no usage, no [DONE], `stop` although there is a call.
      response.write(
        'data: {"choices":[{"delta":{"tool_calls":[{"id":"x","function":{"name":"look","arguments":"{}"}}]}}]}\n\n',
      );
      response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const models = createModels({ keys: {}, baseUrls: { openai: `http://127.0.0.1:${port}/api/v1` } });
  const model = await models.resolve('openai/llama-local');
  const request = { system: 's', tools: [], messages: [], maxOutputTokens: 5, session: 'S' };
  const events = [];
  for await (const event of model.stream(request, { signal: new AbortController().signal })) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'finished',
    stopReason: 'tool_use',
    parts: [{ type: 'call', id: 'x', name: 'look', input: {} }],
  });
  expect(events.at(-1)).toHaveProperty('usage.input', Math.ceil(seen!.body.length / 4));
  expect(seen).toMatchObject({ authorization: 'Bearer none', path: '/api/v1/chat/completions' });
  expect(JSON.parse(seen!.body)).toHaveProperty('max_tokens', 5);
});

test.each(
  PROVIDER_NAMES.flatMap((provider) => Object.values(PROVIDERS[provider].tiers).map((id) => [provider, id] as const)),
)('the default %s %s is in the catalog with its price and has no end', (provider, id) => {
  const entry = findEntry(provider, id);
  expect(toModelInfo(entry).prices.length).toBeGreaterThan(0);
  expect(entry!.until).toBeUndefined();
});

test.each(listModels())(
  'catalog figures of %s: steps rise, cache reads are cheapest if there are any, the window holds the answer',
  (name) => {
    const slash = name.indexOf('/');
    const provider = PROVIDER_NAMES.find((candidate) => candidate === name.slice(0, slash))!;
    const entry = findEntry(provider, name.slice(slash + 1));
    const { prices, contextWindow, maxOutputTokens } = toModelInfo(entry);
    const hasCache = entry!.cost!.cache_read !== undefined;
    expect(contextWindow).toBeGreaterThan(maxOutputTokens);
    expect(prices[0]?.above).toBe(0);
    for (const [at, { above, price }] of prices.entries()) {
      if (hasCache) expect(price.cacheRead).toBeLessThan(price.input);
      else expect(price.cacheRead).toBe(price.input);
      expect(price.output).toBeGreaterThan(price.input);
      if (at > 0) expect(above).toBeGreaterThan(prices[at - 1]!.above);
    }
  },
);

test.each(listModels())(
  'catalog entry of %s: levels of effort rise, and a model that thinks accepts no temperature',
  (name) => {
    const slash = name.indexOf('/');
    const provider = PROVIDER_NAMES.find((candidate) => candidate === name.slice(0, slash))!;
    const { efforts = [], maxTemperature, adaptiveThinking, responses } = findEntry(provider, name.slice(slash + 1))!;
    expect(efforts.map((level) => effortLevelSchema.options.indexOf(level))).toEqual(
      efforts.map((level) => effortLevelSchema.options.indexOf(level)).toSorted((a, b) => a - b),
    );
    if (adaptiveThinking || responses) expect(maxTemperature).toBeUndefined();
  },
);

test('haiku costs five times as much for the complete request above 100,000 prompt tokens', () => {
  const info = toModelInfo(findEntry('anthropic', 'claude-haiku-5-5'));
  const usage = { input: 0, output: 1_000, cacheRead: 100_000, cacheWrite: 0 };
  expect(cost(info, { ...usage, cacheRead: 100_001 })! / cost(info, usage)!).toBeCloseTo(5, 3);
});
