import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { PROVIDER_TABLE } from './provider-table.ts';
import { fromText, toAllowed, type Setting } from './setting.ts';
import { SETTING_KEYS, SETTINGS, toConfigSchema, type SettingValue, type SettingValues } from './settings.ts';
import { toNearest } from '../nearest.ts';

const table = SETTING_KEYS.map((key) => [key, SETTINGS[key] as Setting] as const);

test('every default is a value that its own schema allows and leaves as it is', () => {
  const withDefault = table.filter(([, setting]) => setting.default !== undefined);
  const parsed = withDefault.map(([key, { schema, default: value }]) => [key, schema.safeParse(value).data]);
  expect(parsed).toEqual(withDefault.map(([key, setting]) => [key, setting.default]));
});

test('a setting without a default describes what applies instead', () => {
  expect(table.filter(([, setting]) => setting.default === undefined && !setting.unset)).toEqual([]);
});

test('no two settings read the same variable', () => {
  const variables = table.flatMap(([, setting]) => setting.env ?? []);
  expect(new Set(variables).size).toBe(variables.length);
});

test('a project file may never set what decides who sees the code, the keys and the machine', () => {
  const never = table.filter(([, setting]) => setting.project === 'never').map(([key]) => key);
  const dangerous = table
    .map(([key]) => key)
    .filter((key) =>
      /^(keys|baseUrls|aiSdk|servers|network|tiers|git|prices|workspace|sandbox\.image|sandbox\.kubernetes|dockerEnabled|server|cluster|web)\b/.test(
        key,
      ),
    );
  expect(never).toEqual(expect.arrayContaining(dangerous));
  expect(table.filter(([, setting]) => setting.project === 'free').map(([key]) => key)).toEqual(['compactAt']);
  const keys = Object.values(PROVIDER_TABLE).flatMap((provider) => Object.keys(provider.keys));
  expect(keys).toEqual(expect.arrayContaining(['anthropic', 'anthropicToken', 'openai', 'openrouter']));
  expect(table.filter(([, setting]) => setting.secret).map(([key]) => key)).toEqual([
    ...keys.map((key) => `keys.${key}`),
    'keys.netlify',
    'keys.vercel',
    'keys.awsId',
    'keys.awsSecret',
    'keys.awsSession',
    'keys.git',
    'aiSdk',
    'servers',
    'server.secret',
    'server.webhookSecret',
    'server.oidcClientSecret',
    'cluster.postgresUrl',
    'cluster.s3KeyId',
    'cluster.s3SecretKey',
    'cluster.temporalApiKey',
    'keys.brave',
    'keys.tavily',
  ]);
});

test('values have the types of the table', () => {
  expectTypeOf<SettingValue<'limits.usd'>>().toEqualTypeOf<number>();
  expectTypeOf<SettingValue<'approve'>>().toEqualTypeOf<'plan' | 'ask' | 'edits' | 'auto'>();
  expectTypeOf<SettingValue<'dockerEnabled'>>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<SettingValues['limits']['toolCalls']>().toEqualTypeOf<number>();
  expectTypeOf<SettingValues['tiers']['openai']['haiku']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SettingValues['keys']>().toHaveProperty('anthropicToken');
  // @ts-expect-error: there is no such setting
  expectTypeOf<SettingValue<'limits.euro'>>();
});

test.each([
  ['limits.tokens', '5000', 5000],
  ['limits.tokens', ' 1e6 ', 1_000_000],
  ['limits.tokens', '0x10', '0x10'],
  ['limits.tokens', '12 dollars', '12 dollars'],
  ['limits.usd', '0.25', 0.25],
  ['requirePatchApproval', 'YES', true],
  ['requirePatchApproval', '1', true],
  ['approve', 'EDITS', 'edits'],
  ['dockerEnabled', 'no', false],
  ['dockerEnabled', '0', false],
  ['dockerEnabled', 'maybe', 'maybe'],
  ['models.allow', 'openai/a, anthropic/b,', ['openai/a', 'anthropic/b']],
  ['model', ' opus\n', 'opus'],
] as const)('text for %s: %j becomes %j', (key, text, value) => {
  expect(fromText(SETTINGS[key], text)).toEqual(value);
});

test.each([
  ['limits.tokens', 'an integer, at least 0'],
  ['compactAt', 'a number, at least 0.1, at most 0.95'],
  ['approve', 'plan, ask, edits, auto'],
  ['dockerEnabled', 'true or false'],
] as const)('the allowed values of %s', (key, words) => {
  expect(toAllowed(SETTINGS[key])).toBe(words);
});

test.each([
  'ftp://example.test',
  'https://user:word@example.test',
  'https://example.test/?key=1',
  'https://example.test/#a',
  'example.test',
])('%s is no base URL', (url) => {
  expect(SETTINGS['baseUrls.openai'].schema.safeParse(url).success).toBe(false);
});

test.each(['http://127.0.0.1:8080', 'http://[::1]:8080/v1', 'https://example.test/api/v1/'])('%s is one', (url) => {
  expect(SETTINGS['baseUrls.openai'].schema.safeParse(url).success).toBe(true);
});

test('the shape of a file is the table as a tree and knows no other key', () => {
  const schema = toConfigSchema();
  const file = { model: 'haiku', limits: { usd: 2 }, tiers: { openai: { opus: 'a' } }, sandbox: { cpus: 0.5 } };
  expect(schema.parse(file)).toEqual(file);
  expect(schema.safeParse({ limits: { euro: 1 } }).success).toBe(false);
  expect(z.toJSONSchema(schema)).toMatchObject({
    additionalProperties: false,
    properties: { limits: { properties: { usd: { minimum: 0 } } } },
  });
});

test.each([
  ['limit.usd', 'limits.usd'],
  ['aprove', 'approve'],
  ['Model', 'model'],
  ['checkpiont', 'checkpoint'],
  ['entirelyDifferent', undefined],
  ['xy', undefined],
])('the key nearest to %s is %s', (word, nearest) => {
  expect(toNearest(word, SETTING_KEYS)).toBe(nearest);
});
