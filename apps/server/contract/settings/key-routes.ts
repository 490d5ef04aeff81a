import { z } from 'zod';
import { defineRoute } from '../route.ts';

const keyTestSchema = z.object({
  result: z
    .enum(['accepted', 'refused', 'unknown'])
    .describe('`refused`: by the provider. `unknown`: no answer that says something about the key.'),
  message: z.string().nullable().describe('The reason of the provider, without the key. Null: accepted.'),
  at: z.number().describe('Unix milliseconds.'),
});
export type KeyTest = z.infer<typeof keyTestSchema>;

const providerKeysSchema = z.object({
  provider: z.string().describe('Such as `anthropic`.'),
  title: z.string(),
  variables: z.array(z.string()).describe('Environment variables that hold a key of it.'),
  source: z.string().nullable().describe('Where the key that is in use comes from. Null: there is none.'),
  where: z.string().nullable().describe('The variable, or the file with its line.'),
  stored: z.enum(['keyring', 'file']).nullable().describe('Where a stored key is, which another source can override.'),
  test: keyTestSchema.nullable().describe('The last test by this server of the key that is in use. Null: none.'),
});
export type ProviderKeysView = z.infer<typeof providerKeysSchema>;

const params = z.object({ provider: z.string().describe('Such as `anthropic`.') });

export const keyRoutes = {
  keys: defineRoute('settings', 'GET /api/keys', {
    summary: 'The providers of models, and where their keys come from. A key itself is never part of an answer.',
    role: 'admin',
    answer: z.object({ providers: z.array(providerKeysSchema) }),
  }),
  setKey: defineRoute('settings', 'PUT /api/keys/:provider', {
    summary: 'Tests a key with one small request to the provider, and stores it as `klaus login` does.',
    role: 'admin',
    params,
    body: z.object({
      key: z.string().min(1).max(4_096),
      force: z.boolean().default(false).describe('Stores the key also if the test fails.'),
    }),
    answer: z.object({ isStored: z.boolean(), test: keyTestSchema, provider: providerKeysSchema }),
  }),
  testKey: defineRoute('settings', 'POST /api/keys/:provider/test', {
    summary: 'Tests the key that is in use with one small request to the provider.',
    role: 'admin',
    params,
    answer: z.object({ test: keyTestSchema }),
  }),
  removeKey: defineRoute('settings', 'DELETE /api/keys/:provider', {
    summary: 'Deletes the stored key of a provider. A key from a variable or a file stays in use.',
    role: 'admin',
    params,
    answer: z.object({ isRemoved: z.boolean(), provider: providerKeysSchema }),
  }),
};
