import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { probeSandboxes } from '../index.ts';
import { DENY_ALL, startApiServer, type ApiServer } from './api-server.fixture.ts';
import { loadKubernetes, VERSION } from './packages.ts';

const folder = mkdtempSync(join(tmpdir(), 'klaus-kubernetes-'));
const outer = process.env['KUBECONFIG'];
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  server.writeConfig(join(folder, 'config'));
});
beforeEach(() => {
  Object.assign(server.state, { policies: [DENY_ALL], forbidden: new Set(), requests: [], classes: [] });
  process.env['KUBECONFIG'] = join(folder, 'config');
});
afterAll(async () => {
  if (outer === undefined) delete process.env['KUBECONFIG'];
  else process.env['KUBECONFIG'] = outer;
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const kubernetes = { volumes: ['/work=claim:projects'], enforcesPolicies: true };

async function find(more: object = {}) {
  const found = await probeSandboxes({ home: folder, kubernetes: { ...kubernetes, ...more } });
  return found.find(({ name }) => name === 'kubernetes');
}

test('a cluster with all that is necessary is usable, and no pod is created', async () => {
  server.state.classes = [{ handler: 'runsc', metadata: { name: 'sandboxed' } }];
  const found = await find();
  expect(found).toMatchObject({ available: true, detail: expect.stringContaining('namespace sandboxes') });
  expect(found).toMatchObject({ detail: expect.stringContaining('runtime class sandboxed') });
  expect(found).toMatchObject({ detail: expect.stringContaining('cannot be seen from here') });
  expect(server.state.requests).toContain('POST pods');
  expect(server.state.created).toEqual([]);
});

test('classes that may not be listed are not used', async () => {
  server.state.forbidden.add('list runtimeclasses');
  expect(await find()).toMatchObject({ available: true, detail: expect.stringContaining('class of the node') });
});

test('missing permissions are named', async () => {
  server.state.forbidden = new Set(['delete pods', 'create pods/exec']);
  const refused = { available: false, reason: expect.stringContaining('`delete` pods, `create` pods/exec') };
  expect(await find()).toMatchObject(refused);
});

test('a namespace that admits no such pod is not usable', async () => {
  server.state.forbidden.add('create pods');
  const reason = expect.stringContaining('`create` pods');
  expect(await find()).toMatchObject({ available: false, reason });
});

test('a namespace without a policy is not usable', async () => {
  server.state.policies = [];
  expect(await find()).toMatchObject({ available: false, fix: expect.stringContaining('sandbox.yaml') });
});

test('settings that cannot work are named', async () => {
  const volumes = { available: false, fix: expect.stringContaining('sandbox.kubernetes.volumes') };
  expect(await find({ volumes: [] })).toMatchObject(volumes);
  const policies = { available: false, fix: expect.stringContaining('sandbox.kubernetes.networkPolicies') };
  expect(await find({ enforcesPolicies: false })).toMatchObject(policies);
});

test('an API server that does not answer is named', async () => {
  const file = join(folder, 'other');
  const cluster = { server: 'http://127.0.0.1:1', 'insecure-skip-tls-verify': true };
  writeFileSync(
    file,
    JSON.stringify({
      ...{ clusters: [{ name: 'a', cluster }], users: [{ name: 'a', user: {} }], 'current-context': 'a' },
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    }),
  );
  process.env['KUBECONFIG'] = file;
  expect(await find()).toMatchObject({ available: false, fix: expect.stringContaining('127.0.0.1:1') });
});

test('a laptop with another driver asks no cluster', async () => {
  const found = await probeSandboxes({ home: folder });
  expect(found.map(({ name }) => name)).not.toContain('kubernetes');
  expect(server.state.requests).toEqual([]);
});

test('the version is that of the tests', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ devDependencies: { '@kubernetes/client-node': VERSION } });
});

test('a missing package names the command that installs it', () => {
  const missing = () => {
    throw Object.assign(new Error('x'), { code: 'MODULE_NOT_FOUND' });
  };
  expect(() => loadKubernetes(missing)).toThrow(
    expect.objectContaining({
      code: 'sandbox.unavailable',
      hint: expect.stringContaining('npm install --global @kubernetes/client-node@'),
    }),
  );
});
