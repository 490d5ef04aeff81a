import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isKlausError } from '@klaus/core/protocol';
import type { AiSdkOptions } from './ai-sdk-options.ts';
import { loadLanguageModel } from './load-provider.ts';
import { toAiModelName } from './provider-name.ts';

// Small packages on disk. Those of real providers are in test/ai-sdk.

let folder: string;

function model(version: string): string {
  return `(id) => ({ specificationVersion: '${version}', provider: 'p', modelId: id, options, async doStream() {} })`;
}

const PACKAGES: Record<string, { manifest: object; code: string }> = {
  '@ai-sdk/plain': {
    manifest: { type: 'module', exports: { '.': { types: './x.d.ts', import: './index.js' } } },
    code: `export const VERSION = '1';
      export const createOther = () => ({ languageModel: () => 'another one' });
      export const createPlain = (options) => ({ languageModel: ${model('v4')} });`,
  },
  '@vendor/ai-sdk-provider': {
    manifest: { main: 'index.js' },
    code: `exports.createVendor = (options) => Object.assign(() => {}, { languageModel: ${model('v3')} });`,
  },
  'community-provider': {
    manifest: { type: 'module', exports: './index.js' },
    code: `const options = {}; export const community = { languageModel: ${model('v4')} };`,
  },
  '@ai-sdk/former': {
    manifest: { type: 'module', exports: './index.js' },
    code: `export const createFormer = (options) => ({ languageModel: ${model('v2')} });`,
  },
  '@ai-sdk/strict': {
    manifest: { type: 'module', exports: './index.js' },
    code: `export const createStrict = () => { throw new Error('needs a region'); };`,
  },
  '@ai-sdk/picky': {
    manifest: { type: 'module', exports: './index.js' },
    code: `export const createPicky = () => ({ languageModel() { throw new Error('no such model'); } });`,
  },
  '@ai-sdk/broken': { manifest: { type: 'module', exports: './index.js' }, code: 'import "not-there";' },
  '@ai-sdk/utils': { manifest: { type: 'module', exports: './index.js' }, code: 'export const add = 1;' },
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'klaus-ai-sdk-'));
  for (const [name, { manifest, code }] of Object.entries(PACKAGES)) {
    const path = join(folder, 'node_modules', name, 'index.js');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    writeFileSync(join(dirname(path), 'package.json'), JSON.stringify(manifest));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(name: string, more: Partial<AiSdkOptions> = {}) {
  return loadLanguageModel(toAiModelName(name)!, { folder, ...more });
}

async function fail(name: string, more?: Partial<AiSdkOptions>) {
  const error: unknown = await load(name, more).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isKlausError(error)) throw new Error(`no KlausError: ${String(error)}`);
  return error;
}

test.each([
  ['mistral/large', { provider: 'mistral', id: 'large' }],
  ['fireworks/accounts/x/models/y', { provider: 'fireworks', id: 'accounts/x/models/y' }],
  ['@vendor/package/a/b', { provider: '@vendor/package', id: 'a/b' }],
  ['mistral', undefined],
  ['mistral/', undefined],
  ['@vendor/package', undefined],
  ['../../etc/x', undefined],
  ['@../x/y', undefined],
])('the name %s', (text, expected) => {
  expect(toAiModelName(text)).toEqual(expected);
});

test.each([
  ['plain/a/b', 'a/b', 'v4'],
  ['@vendor/ai-sdk-provider/m', 'm', 'v3'],
  ['community-provider/m', 'm', 'v4'],
])('%s is a model of its package', async (name, id, version) => {
  expect(await load(name)).toMatchObject({ modelId: id, specificationVersion: version });
});

test('settings name the package and its options', async () => {
  const settings = { mine: { package: '@ai-sdk/plain', options: { baseURL: 'http://127.0.0.1:1' } } };
  expect(await load('mine/m', { settings })).toMatchObject({
    options: { baseURL: 'http://127.0.0.1:1', fetch: expect.any(Function) as unknown },
  });
});

test('a given provider replaces a package', async () => {
  const given = { specificationVersion: 'v4', doStream: () => {} };
  expect(await load('plain/m', { providers: { plain: { languageModel: () => given } } })).toBe(given);
});

test('a package that is not installed is named with the command that installs it', async () => {
  const error = await fail('mistral/m');
  expect(error).toMatchObject({ code: 'config' });
  expect(error.hint).toContain(`npm install --prefix ${folder} @ai-sdk/mistral`);
  expect((await fail('@vendor/other/m')).hint).toContain(' @vendor/other');
});

test.each([
  ['former/m', 'config', '@ai-sdk/former@latest'],
  ['strict/m', 'config', 'needs a region'],
  ['picky/m', 'model.unknown', 'no such model'],
  ['broken/m', 'config', 'not-there'],
  ['utils/m', 'config', '@ai-sdk/utils'],
])('%s cannot be used', async (name, code, text) => {
  const { message, hint = '', ...error } = await fail(name);
  expect(error).toMatchObject({ code });
  expect(message + hint).toContain(text);
});
