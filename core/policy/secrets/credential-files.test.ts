import { expect, test } from 'vitest';
import { isCredentialFile } from './credential-files.ts';

test.each([
  '/opt/x/lib/.env',
  '/opt/x/lib/.envrc',
  '/opt/x/lib/node_modules/npm/npmrc',
  '/home/u/.npmrc',
  '/home/u/.local/share/uv/credentials/a',
  '/home/u/.cargo/credentials.toml',
  '/home/u/.config/gh/hosts.yml',
  '/home/u/.gem/credentials',
  '/home/u/.config/pip/pip.conf',
  '/home/u/.config/composer/auth.json',
  '/home/u/.docker/config.json',
  '/home/u/.kube/config',
  '/home/u/miniconda3/envs/x/conda-meta/state',
  '/home/u/.config/go/env',
  '/opt/maven/conf/settings.xml',
  '/home/u/.config/helm/registry/config.json',
  '/home/u/.AWS/config',
])('%s holds credentials', (path) => {
  expect(isCredentialFile(path)).toBe(true);
});

test.each([
  '/usr/local/go/go.env',
  '/opt/py/lib/python3.13/test/certdata/keycert.pem',
  '/opt/py/lib/python3.13/site-packages/certifi/cacert.pem',
  '/opt/x/bin/hub',
  '/opt/x/bin/env',
  '/opt/x/share/doc/config.json',
  '/opt/x/lib/.env.example',
])('%s does not', (path) => {
  expect(isCredentialFile(path)).toBe(false);
});
