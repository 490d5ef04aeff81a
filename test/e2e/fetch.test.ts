// Covers core/policy/fetch-plan.ts, adapters/sandboxes/network, sdk/workspace: klaus fetch with a local registry.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';

const root = mkdtempSync(join(tmpdir(), 'klaus-test-'));
const asked: string[] = [];
let tarball = Buffer.alloc(0);
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.statusCode = request.url === '/one-1.0.0.tgz' ? 200 : 404;
  response.end(tarball);
});

beforeAll(async () => {
  mkdirSync(join(root, 'one'));
  const look = "require('fs').writeFileSync('built', require('fs').readlinkSync('/proc/self/ns/net'))";
  const scripts = { install: `node -e "${look}"` };
  writeFileSync(join(root, 'one', 'package.json'), JSON.stringify({ name: 'one', version: '1.0.0', scripts }));
  execFileSync('npm', ['pack', './one'], { cwd: root, stdio: 'pipe', env: { ...process.env, HOME: root } });
  tarball = readFileSync(join(root, 'one-1.0.0.tgz'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

function toProject(): Record<string, string> {
  const resolved = `http://127.0.0.1:${(server.address() as AddressInfo).port}/one-1.0.0.tgz`;
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const top = { name: 'app', version: '1.0.0', dependencies: { one: '1.0.0' } };
  const one = { version: '1.0.0', resolved, integrity, hasInstallScript: true };
  const lock = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': top, 'node_modules/one': one },
  };
  return {
    'package.json': JSON.stringify(top),
    'package-lock.json': JSON.stringify(lock),
    '.gitignore': 'node_modules\n',
  };
}

const BUBBLEWRAP = { KLAUS_SANDBOX: 'bubblewrap' };
const toHost = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const fetch = (...more: string[]) => ['fetch', '--yes', '--allow-host', toHost(), ...more];

test(
  'downloads with a network, runs what packages bring without one, and records it',
  { timeout: 60_000 },
  async () => {
    using place = createTestHome(toProject());
    const { code, stdout, stderr } = await runKlaus(fetch(), { place, env: BUBBLEWRAP });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^npm: done \(/);
    // The two steps have different labels.
    expect(stderr).toMatch(/^ +(\S.*\S) +npm ci .*--ignore-scripts\n +(?!\1 )\S.*\S +npm rebuild\n/m);
    expect(asked).toContain('/one-1.0.0.tgz');
    const built = join(place.workspace, 'node_modules/one/built');
    expect(readFileSync(built, 'utf8')).toMatch(/^net:/);
    expect(readFileSync(built, 'utf8')).not.toBe(readlinkSync('/proc/self/ns/net'));
    const session = /klaus show (\S+)/.exec(stderr)?.[1] ?? '';
    const shown = await runKlaus(['show', session, '--json'], { place });
    const events = shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; name?: string; call?: string; by?: string; answer?: string });
    const decided = events.filter(({ type, name }) => type === 'gate.decided' && name === 'run_command');
    expect(new Set(decided.map(({ call }) => call)).size).toBe(2);
    expect(events.find(({ type }) => type === 'approval.answered')).toMatchObject({ by: 'fetch', answer: 'approved' });
  },
);

test('lists what it would run, and runs nothing without an approval', async () => {
  using place = createTestHome(toProject());
  const dry = await runKlaus(['fetch', '--dry-run', '--json'], { place });
  expect(dry.code).toBe(0);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    steps: [
      { tool: 'npm', network: true },
      { tool: 'npm', network: false },
    ],
    hosts: ['registry.npmjs.org'],
  });
  const unasked = await runKlaus(['fetch'], { place });
  expect(unasked).toMatchObject({ code: 2, stdout: '' });
  expect(unasked.stderr).toContain('--yes');
  expect(existsSync(join(place.workspace, 'node_modules'))).toBe(false);
});

test(
  'a missing tool and a failed download are reported by name: exit 1',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    using place = createTestHome({ ...toProject(), 'a.csproj': '' });
    const lock = join(place.workspace, 'package-lock.json');
    writeFileSync(lock, readFileSync(lock, 'utf8').replace('/one-1.0.0.tgz', '/gone.tgz'));
    const { code, stdout } = await runKlaus(fetch(), { place, env: BUBBLEWRAP });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^npm: failed/m);
    expect(stdout).toMatch(/^dotnet: .*\bdotnet\b/m);
  },
);

test('a folder without dependencies is reported', async () => {
  using place = createTestHome();
  const { code, stderr } = await runKlaus(['fetch', '--yes'], { place });
  expect(code).toBe(2);
  expect(stderr).toContain('go.mod');
});

test(
  'a host that is not a registry is refused and reported, unless every host is allowed',
  { timeout: 60_000 },
  async () => {
    using place = createTestHome(toProject());
    asked.length = 0;
    const limited = await runKlaus(['fetch', '--yes', '--json'], { place, env: BUBBLEWRAP });
    expect(limited.code).toBe(1);
    expect(JSON.parse(limited.stdout)).toMatchObject({ steps: [{ refused: [toHost()] }] });
    expect(asked).toEqual([]);
    const ran = await runKlaus(['fetch', '--yes'], { place, env: BUBBLEWRAP });
    expect(ran.stderr).toContain(`klaus fetch --allow-host ${toHost()}`);
    const open = await runKlaus(['fetch', '--yes', '--any-host'], { place, env: BUBBLEWRAP });
    expect(open.code).toBe(0);
    expect(asked).toContain('/one-1.0.0.tgz');
  },
);

test('an invalid host is reported before anything runs', async () => {
  using place = createTestHome(toProject());
  const { code, stderr } = await runKlaus(['fetch', '--yes', '--allow-host', 'https://npm.example/'], { place });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('registry.example.com') });
});

test('a session of a fetch ends with what happened, and only its id selects it', { timeout: 60_000 }, async () => {
  using place = createTestHome({ ...toProject(), 'script.json': JSON.stringify(SCRIPT) });
  const run = (...words: string[]) => runKlaus(words, { place, env: BUBBLEWRAP });
  const own = await run('--model', 'scripted/script.json', '--json', 'Say hello');
  expect(own.code).toBe(0);
  const lock = join(place.workspace, 'package-lock.json');
  const text = readFileSync(lock, 'utf8');
  writeFileSync(lock, text.replace('/one-1.0.0.tgz', '/gone.tgz'));
  const failed = JSON.parse((await run(...fetch('--json'))).stdout) as FetchedJson;
  // What runs code of the packages is left out after a failed download.
  expect(failed).toMatchObject({ steps: [{ outcome: 'error' }], tools: [{ tool: 'npm', state: 'failed' }], kept: 0 });
  writeFileSync(lock, text);
  const done = JSON.parse((await run(...fetch('--json'))).stdout) as FetchedJson;
  expect(done).toMatchObject({ steps: [{ outcome: 'ok' }, { outcome: 'ok' }], tools: [{ state: 'done' }] });
  expect(await endOf(place, failed.session)).toMatchObject({ outcome: 'failed', by: 'fetch' });
  expect(await endOf(place, done.session)).toMatchObject({ outcome: 'done', by: 'fetch' });
  const needing = (await run('attention', '--json')).stdout;
  for (const { session } of [failed, done]) expect(needing).not.toContain(session);
  expect((await run('show', '--json')).stderr).not.toContain(done.session);
  expect((await run('replay', failed.session)).code).toBe(0);
  expect((await run('undo', '--dry-run')).stderr).not.toContain(done.session);
  const continued = await run('-c', '--json', 'Again');
  expect({ code: continued.code, stderr: continued.stderr }).toMatchObject({ code: 0 });
  expect(continued.stdout).not.toContain(done.session);
  expect((await run('undo', '--session', done.session, '--dry-run')).code).toBe(0);
});

const SCRIPT = { steps: [], fallback: { text: 'Hello.' } };

interface FetchedJson {
  session: string;
}

async function endOf(place: TestHome, session: string): Promise<unknown> {
  const { stdout } = await runKlaus(['show', session, '--json'], { place });
  const events = stdout.trim().split('\n');
  return events.map((line) => JSON.parse(line) as { type: string }).findLast(({ type }) => type === 'run.finished');
}

test('a tool that is not installed is reported before the question, with the way to get it', async () => {
  const pkg = { name: 'app', packageManager: 'pnpm@9.0.0', dependencies: { one: '1.0.0' } };
  using place = createTestHome({ 'package.json': JSON.stringify(pkg) });
  const env = { PATH: place.workspace };
  const { code, stdout, stderr } = await runKlaus(['fetch'], { place, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('npm install --global pnpm');
  expect(await listSessions(place)).toBe('');
  const dry = await runKlaus(['fetch', '--dry-run', '--json'], { place, env });
  expect(JSON.parse(dry.stdout)).toMatchObject({ steps: [], missing: [{ tool: 'pnpm', program: 'pnpm' }] });
});

test('pip is planned in the place of a missing uv, if there is a pyproject.toml', async () => {
  using place = createTestHome({ 'uv.lock': '', 'pyproject.toml': '[project]\nname = "app"\n', 'bin/python3': '' });
  const env = { PATH: join(place.workspace, 'bin') };
  chmodSync(join(env.PATH, 'python3'), 0o755);
  const plan = async () =>
    JSON.parse((await runKlaus(['fetch', '--dry-run', '--json'], { place, env })).stdout) as unknown;
  expect(await plan()).toMatchObject({
    steps: [{ tool: 'pip' }],
    missing: [{ tool: 'uv' }],
    hosts: ['pypi.org', 'files.pythonhosted.org'],
  });
  rmSync(join(place.workspace, 'pyproject.toml'));
  expect(await plan()).toMatchObject({ steps: [], missing: [{ tool: 'uv' }] });
});

async function listSessions(place: TestHome): Promise<string> {
  return (await runKlaus(['sessions', '--json'], { place })).stdout;
}

test('a session of klaus sandbox run is not the latest one of the folder, and does not need the user', async () => {
  using place = createTestHome();
  const run = (...words: string[]) => runKlaus(words, { place, env: BUBBLEWRAP });
  expect((await run('sandbox', 'run', 'echo one > made')).code).toBe(0);
  const { id } = JSON.parse(await listSessions(place)) as { id: string };
  expect((await run('show')).code).toBe(2);
  expect((await run('undo', '--dry-run')).code).toBe(2);
  expect((await run('undo', '--session', id, '--dry-run')).code).toBe(0);
  expect((await run('attention', '--json')).stdout).toBe('');
});
