import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'klaus-diagnose-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function find(name: string, env: Record<string, string> = {}) {
  const home = join(folder, 'home');
  const findings = await diagnose({
    env: { HOME: folder, KLAUS_HOME: home, PATH: process.env['PATH'], ...env },
    cwd: folder,
  });
  return findings.find((finding) => finding.name === name);
}

test('a state folder that others can read is noted with the line that closes it', async () => {
  const home = join(folder, 'home');
  expect(await find('home')).toMatchObject({ status: 'ok' });
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o755);
  expect(await find('home')).toMatchObject({ status: 'warn', fix: `chmod 700 ${home}` });
  chmodSync(home, 0o700);
  expect(await find('home')).toMatchObject({ status: 'ok' });
});

test('a damaged database is a failure that names the way out, and is left as it is', async () => {
  mkdirSync(join(folder, 'home'), { mode: 0o700 });
  writeFileSync(join(folder, 'home', 'klaus.db'), 'no database at all, only words. '.repeat(200));
  expect(await find('database')).toMatchObject({
    status: 'fail',
    code: 'store.corrupt',
    fix: expect.stringContaining('klaus db recover'),
  });
});

test('keys are named, never shown, and the model that they reach is resolved', async () => {
  const env = { OPENROUTER_API_KEY: 'sk-or-0123456789abcdef' };
  const keys = await find('keys', env);
  expect(keys).toMatchObject({
    status: 'ok',
    text: expect.stringMatching(/OPENROUTER_API_KEY ([^,]+), ANTHROPIC_API_KEY (?!\1(?:,|$))/),
  });
  expect(JSON.stringify(keys)).not.toContain('0123456789');
  expect(await find('model', env)).toMatchObject({
    status: 'ok',
    text: expect.stringMatching(/^opus .*\bopenrouter\//),
  });
  expect(await find('model')).toMatchObject({ status: 'fail', code: 'auth' });
  expect(await find('keys')).toMatchObject({ status: 'warn' });
  const server = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', AGENT_MODEL: 'openai/own' };
  expect(await find('keys', server)).toMatchObject({ status: 'ok' });
});

test('where one sandbox works, another one that does not is no warning', async () => {
  const drivers = await Promise.all(['bubblewrap', 'docker', 'host'].map((name) => find(`sandbox ${name}`)));
  expect(await find('sandbox')).toBeUndefined();
  expect(drivers.slice(1)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  expect(await find('sandbox host', { KLAUS_SANDBOX: 'host' })).toMatchObject({ status: 'warn' });
});

test('a sandbox that is configured and cannot be used is a failure, even if others work', async () => {
  expect(await find('sandbox', { KLAUS_SANDBOX: 'docker', DOCKER_ENABLED: 'false' })).toMatchObject({
    status: 'fail',
    code: 'sandbox.unavailable',
    text: expect.stringContaining('docker'),
  });
  expect(await find('sandbox', { KLAUS_SANDBOX: 'host' })).toBeUndefined();
});

test('a wrong setting is reported and stops nothing else', async () => {
  const env = { KLAUS_MAX_TURNS: 'many' };
  expect(await find('configuration', env)).toMatchObject({
    status: 'fail',
    code: 'config',
    text: expect.stringContaining('KLAUS_MAX_TURNS'),
  });
  expect(await find('node', env)).toMatchObject({ status: 'ok' });
});

test('a state folder on a disk that is not mounted is a failure', async () => {
  symlinkSync(join(folder, 'disk', 'klaus'), join(folder, 'home'));
  expect(await find('home')).toMatchObject({ status: 'fail', code: 'config', text: expect.stringContaining('link') });
});

test('the address of the model is tried, with no word to the model', async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => socket.on('data', (chunk) => heard.push(chunk)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  expect(await find('model address', env)).toMatchObject({ status: 'ok' });
  server.close();
  await once(server, 'close');
  expect(heard).toEqual([]);
  expect(await find('model address', env)).toMatchObject({ status: 'warn', text: expect.stringContaining('REFUSED') });
});

test('a missing folder is a failure only if it was configured', async () => {
  const gone = join(folder, 'gone');
  expect(await find('workspace', { AGENT_WORKSPACE: gone })).toMatchObject({
    status: 'fail',
    code: 'workspace.missing',
  });
  // The user's home folder.
  expect(await find('workspace')).toMatchObject({
    status: 'warn',
    text: expect.stringContaining(folder),
    fix: expect.stringContaining('--allow-any-workspace'),
  });
  mkdirSync(join(folder, 'project'));
  const project = { AGENT_WORKSPACE: join(folder, 'project') };
  expect(await find('workspace', project)).toMatchObject({ status: 'ok' });
});

test('a policy that cannot be read as it is meant is a failure with its place', async () => {
  const env = { AGENT_WORKSPACE: join(folder, 'project') };
  mkdirSync(join(folder, 'project', '.klaus'), { recursive: true });
  writeFileSync(join(folder, 'project', '.klaus', 'policy.yaml'), 'rules:\n  - deny: { tool: no_such_tool }\n');
  expect(await find('policy', env)).toMatchObject({
    status: 'fail',
    code: 'config',
    text: expect.stringContaining(':2'),
  });
  writeFileSync(join(folder, 'project', '.klaus', 'policy.yaml'), 'rules:\n  - deny: { tool: git_commit }\n');
  expect(await find('policy', env)).toMatchObject({ status: 'ok', text: '1 rule' });
});
