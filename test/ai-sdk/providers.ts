import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from '../fixtures/npm.ts';

/** The packages of providers that the tests run, at these versions. */
const PACKAGES = [
  '@ai-sdk/anthropic@4.0.105',
  '@ai-sdk/openai@4.0.118',
  '@ai-sdk/openai-compatible@3.0.92',
  '@ai-sdk/mistral@4.0.87',
  '@ai-sdk/google@4.0.121',
];

export interface ProviderFolder extends Disposable {
  /** A state folder: its `ai-sdk/node_modules` has the packages. */
  readonly home: string;
  /** `ai-sdk` in it. */
  readonly folder: string;
}

/** Installs the packages as a user does. */
export function installProviders(): ProviderFolder {
  const home = mkdtempSync(join(tmpdir(), 'klaus-ai-sdk-'));
  const folder = join(home, 'ai-sdk');
  mkdirSync(folder);
  npm(['install', '--prefix', folder, '--prefer-offline', '--loglevel=error', ...PACKAGES], folder);
  return { home, folder, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

/** The providers that speak a format of the scripted server, with the name of a model. */
export const PROVIDERS = {
  anthropic: 'ai/anthropic/claude-sonnet-5-5',
  openai: 'ai/openai/gpt-6-sol',
  local: 'ai/local/some-model',
} as const;
export type ProviderKey = keyof typeof PROVIDERS;

/** Long and unlike any word, because its value is redacted everywhere. */
export const KEY = 'sk-test-of-the-ai-sdk-4f1c9b7e2a60';

/** The setting `aiSdk` for the scripted server at a URL. */
export function toSettings(url: string) {
  const options = { baseURL: `${url}/v1`, apiKey: KEY };
  return {
    anthropic: { options },
    openai: { options },
    local: { package: '@ai-sdk/openai-compatible', options },
  };
}
