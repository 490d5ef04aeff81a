// Covers apps/debug/redact, scripts/klendathu: no planted secret leaves the process, in any form in which it is read.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { createRecord } from '../../../apps/debug/server/create-record.ts';
import { startDebugServer } from '../../../apps/debug/server/debug-server.ts';
import { isCurrent } from '../../../scripts/klendathu/secret-patterns.ts';
import { plantSecrets } from './planted-secrets.ts';

const { planted, context } = plantSecrets();
const environment = 'kQ8vTz3mXw7pLr2nBd6c';
process.env['PLANTED_API_TOKEN'] = environment;
const chosen = 'zzPlantedByOptionzz';
const error = new Error(`failed with password=${planted[0]!.secret} for ${environment}`);
const server = await startDebugServer({
  error,
  context: { ...context, chosen: { note: `x ${chosen} y` } },
  access: 'full',
  redact: [chosen, /planted-\d+/],
});
const client = new Client({ name: 'test', version: '1' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { authorization: `Bearer ${server.token}` } },
  }),
);
afterAll(async () => {
  await client.close();
  await server.close();
});

async function look(code: string, readOnly = true): Promise<string> {
  const found = await client.callTool({ name: 'eval', arguments: { code, readOnly } });
  const { result = '', console: printed = [] } = (found.structuredContent ?? {}) as {
    result?: string;
    console?: { text: string }[];
  };
  return [result, ...printed.map(({ text }) => text), JSON.stringify(found.content)].join('\n');
}

/** In each form in which a reader could use it. */
function isShown(secret: string, text: string): boolean {
  const squeezed = text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    Array.from(secret).toReversed().join(''),
    bytes.toString('base64'),
    bytes.toString('hex'),
    [...bytes].join(''),
  ];
  return forms.some((form) => squeezed.includes(form.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()));
}

test('98 secrets are planted: 96 in values, one in the environment, one named by an option', () => {
  expect(planted).toHaveLength(96);
});

test.each(planted)('$place', async ({ secret, looks }) => {
  const shown: string[] = [];
  for (const code of looks) {
    shown.push(await look(code));
    if (/throw |console/.test(code)) shown.push(await look(code, false));
  }
  expect(isShown(secret, shown.join('\n')), shown.join('\n')).toBe(false);
  // What was read in parts, put together.
  const parts = shown.map((text) => text.split('\n')[0]!.replaceAll(/["']/g, '')).join('');
  expect(isShown(secret, parts), parts).toBe(false);
});

test.each([
  ['the environment', 'process.env', environment],
  ['one variable', 'process.env.PLANTED_API_TOKEN.slice(2)', environment.slice(2)],
  ['a chosen value', 'chosen', chosen],
  ['a chosen pattern', '"planted-" + 12345', 'planted-12345'],
])('%s', async (_name, code, secret) => {
  expect(await look(code)).not.toContain(secret);
});

test('the input of the CLI and a record have none', async () => {
  const record = await createRecord({ error, context, redact: [chosen] });
  const { error: summary, callStack } = server;
  const text = JSON.stringify([summary, callStack, server.context, record]);
  expect(planted.filter(({ secret }) => isShown(secret, text)).map(({ place }) => place)).toEqual([]);
  expect(text).not.toContain(environment);
});

test('the patterns are those of the rules of Klaus', () => {
  expect(isCurrent()).toBe(true);
});
