import { expect, test } from 'vitest';
import { isSecretFile } from './secret-files.ts';

test.each([
  '.env',
  'a/b/.env.local',
  '.ENV.Production',
  '.env_backup',
  'prod.env',
  'deploy/id_ed25519',
  'certs/server.key',
  'certs/privkey.pem',
  'store.P12',
  '.ssh/office/key',
  '.gnupg/private-keys-v1.d/a',
  'home/.aws/credentials',
  '.kube/config',
  'x/.docker/config.json',
  '.git-credentials',
  'service-account-prod.json',
  'serviceAccountKey.json',
  'my-credentials.json',
  '.dev.vars',
  'worker/.dev.vars.production',
  'local.settings.json',
  'auth.json',
  'infra/.terraformrc',
  'rclone.conf',
  'prod.kubeconfig',
  'home/.m2/settings.xml',
  'android/key.properties',
])('%s is one', (path) => {
  expect(isSecretFile(path)).toBe(true);
});

test.each([
  '.env.example',
  '.env.production.sample',
  '.env.defaults',
  'example.env',
  '.envrc',
  '.dev.vars.example',
  '.environment',
  'env.ts',
  '.npmrc',
  'main.tfvars',
  '.ssh/id_rsa.pub',
  '.ssh/known_hosts',
  'certs/ca.pem',
  'certs/server.crt',
  'src/key.ts',
  'src/credentials.ts',
  'config.json',
  'docker/config.json',
])('%s is none', (path) => {
  expect(isSecretFile(path)).toBe(false);
});

test("the user's list comes to it, and may name what would be public", () => {
  const patterns = ['config/prod.yaml', 'private/**', '*.tfvars', '.env.example'];
  for (const path of ['config/prod.yaml', 'private/a/b', 'infra/main.tfvars', '.env.example', '.env'])
    expect(isSecretFile(path, patterns)).toBe(true);
  expect(isSecretFile('other/config/prod.yaml', patterns)).toBe(false);
});
