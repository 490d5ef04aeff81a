import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfiguration } from '../config/load-configuration.ts';
import { findCredentials } from './credentials.ts';

test('keys in the options of AI SDK providers are credentials, and addresses are not', async () => {
  const home = mkdtempSync(join(tmpdir(), 'klaus-credentials-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const options = {
    baseURL: 'https://models.example.com/v1',
    apiKey: 'first-value',
    headers: { 'x-api-key': 'second-value', Authorization: 'third-value', 'x-team': 'red' },
    credentials: { secretAccessKey: 'fourth-value' },
  };
  const configuration = await loadConfiguration({
    env: {},
    home,
    cwd: home,
    settings: { aiSdk: { mine: { options } } },
  });
  const values = findCredentials({ MISTRAL_API_KEY: 'fifth-value', EDITOR: 'vi' }, configuration).map(
    ({ value }) => value,
  );
  expect(values.toSorted()).toEqual(['fifth-value', 'first-value', 'fourth-value', 'second-value', 'third-value']);
  expect(JSON.stringify(configuration.explain())).not.toContain('first-value');
});
