import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KlausError, SETTINGS, type SettingKey } from '@klaus/core/protocol';
import { afterAll, expect, test } from 'vitest';
import { loadConfiguration } from '../config/load-configuration.ts';
import { nameSettings, toClusterServices } from './cluster-services.ts';

const home = mkdtempSync(join(tmpdir(), 'klaus-cluster-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const pem = (name: string): string => {
  const path = join(home, name);
  writeFileSync(path, `${name}\n`);
  return path;
};

const REQUIRED = {
  'cluster.postgresUrl': 'postgres://klaus:word@db.example.com/klaus',
  'cluster.bucket': 'klaus-states',
  'cluster.temporalAddress': 'temporal.example.com:7233',
} satisfies Partial<Record<SettingKey, unknown>>;

const read = async (settings: Partial<Record<SettingKey, unknown>>) =>
  toClusterServices(await loadConfiguration({ env: {}, home, cwd: home, settings: { ...REQUIRED, ...settings } }));

test('the services are read from the settings, and unset ones are absent', async () => {
  expect(await read({})).toEqual({
    database: REQUIRED['cluster.postgresUrl'],
    bucket: { bucket: 'klaus-states' },
    temporal: { address: 'temporal.example.com:7233', namespace: 'default', taskQueue: 'klaus' },
  });
  const settings = {
    'cluster.s3Endpoint': 'http://127.0.0.1:8333',
    'cluster.s3Region': 'eu-central-1',
    'cluster.s3KeyId': 'AKIA',
    'cluster.s3SecretKey': 'secret',
    'cluster.temporalNamespace': 'team',
    'cluster.temporalTaskQueue': 'queue',
    'cluster.temporalApiKey': 'key',
    'cluster.temporalCaFile': pem('ca.pem'),
    'cluster.temporalCertFile': pem('cert.pem'),
    'cluster.temporalKeyFile': pem('key.pem'),
  };
  expect(await read(settings)).toMatchObject({
    bucket: {
      endpoint: 'http://127.0.0.1:8333',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
    },
    temporal: {
      namespace: 'team',
      taskQueue: 'queue',
      apiKey: 'key',
      tls: { ca: 'ca.pem\n', cert: 'cert.pem\n', key: 'key.pem\n' },
    },
  });
  expect((await read({ 'cluster.temporalTls': true })).temporal.tls).toBe(true);
});

test.each(Object.keys(REQUIRED) as SettingKey[])('without %s the error names it and its variable', async (key) => {
  const error: unknown = await read({ [key]: undefined }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'config' });
  const { message } = error as KlausError;
  expect(message).toContain(`\`${key}\``);
  expect(message).toContain(`\`${SETTINGS[key].env}\``);
});

test.each([
  [{ 'cluster.s3KeyId': 'AKIA' }, 'cluster.s3SecretKey'],
  [{ 'cluster.temporalCertFile': pem('alone.pem') }, 'cluster.temporalKeyFile'],
  [{ 'cluster.temporalCaFile': join(home, 'missing.pem') }, 'missing.pem'],
  [{ 'cluster.temporalTls': false, 'cluster.temporalApiKey': 'key' }, 'cluster.temporalTls'],
  [{ 'cluster.temporalTls': false, 'cluster.temporalCaFile': pem('other.pem') }, 'cluster.temporalTls'],
])('%j is refused', async (settings, named) => {
  await expect(read(settings)).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(named) });
});

test.each([
  ['cluster.postgresUrl', 'mysql://db/klaus'],
  ['cluster.bucket', 'Upper'],
  ['cluster.s3Endpoint', 'https://key:secret@s3.example.com'],
  ['cluster.temporalAddress', 'http://temporal:7233'],
  ['cluster.temporalAddress', 'temporal'],
  ['cluster.temporalCaFile', 'relative.pem'],
] as const)('%s does not take %s', (key, value) => {
  expect(SETTINGS[key].schema.safeParse(value).success).toBe(false);
});

test('an error of a service keeps its code and gets its settings; a bug is not changed', () => {
  const error = new KlausError('store.busy', 'Postgres cannot be reached.', { hint: 'Check it.', retryable: true });
  expect(nameSettings('database', error)).toMatchObject({
    code: 'store.busy',
    message: 'Postgres cannot be reached.',
    hint: expect.stringMatching(/^Check it\. .*`KLAUS_CLUSTER_POSTGRES_URL`/),
    retryable: true,
  });
  const bug = new TypeError('x');
  expect(nameSettings('bucket', bug)).toBe(bug);
});
