import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripCredentials } from '@klaus/adapters/sandboxes';
import { SETTING_KEYS, SETTINGS, type Setting } from '@klaus/core/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfiguration } from '../config/load-configuration.ts';
import { findCredentials, findSecret } from './credentials.ts';

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

test('the secrets of a cluster are credentials, also the password in an address, and no tool gets them', async () => {
  const home = mkdtempSync(join(tmpdir(), 'klaus-credentials-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const url = 'postgres://klaus:k7Qz%2Fm2Xp9@db.example.com/klaus';
  const configuration = await loadConfiguration({
    env: {},
    home,
    cwd: home,
    settings: { 'cluster.postgresUrl': url, 'cluster.temporalApiKey': 'tmprl-4c1e', 'keys.netlify': 'nfp-2f81' },
  });
  const values = findCredentials({}, configuration).map(({ value }) => value);
  expect(values.toSorted()).toEqual(['k7Qz%2Fm2Xp9', 'k7Qz/m2Xp9', 'nfp-2f81', url, 'tmprl-4c1e'].toSorted());
  expect(findSecret(configuration, 'NETLIFY_AUTH_TOKEN')).toBe('nfp-2f81');
  for (const name of ['KLAUS_CLUSTER_POSTGRES_URL', 'KLAUS_CLUSTER_TEMPORAL_API_KEY'])
    expect(findSecret(configuration, name)).toBeUndefined();
  const shown = JSON.stringify(configuration.explain());
  for (const secret of ['k7Qz', 'tmprl']) expect(shown).not.toContain(secret);
});

test('no command gets the variable of a secret setting by a pattern', () => {
  const variables = SETTING_KEYS.flatMap((key) => {
    const { env, secret }: Setting = SETTINGS[key];
    return secret === true && env !== undefined ? [[env, 'a-value']] : [];
  });
  expect(variables.length).toBeGreaterThan(10);
  expect(stripCredentials(Object.fromEntries(variables) as Record<string, string>)).toEqual({});
});
