// Covers docker, scripts/container.ts, apps/server, adapters/sandboxes/docker: the container image and its sandbox.
import { spawn, spawnSync } from 'node:child_process';
import { once as onceHappened } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startEngine } from '../../adapters/sandboxes/docker/dockerd.fixture.ts';
import { eventually } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { importBase, whyNoBase } from './base-image.ts';
import { startSocketProxy } from './socket-proxy.ts';

// An image is built with all that the build needs: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '../..');
const PROJECT = 'klaus-test';
const SECRET = 'a-long-secret-of-the-test';
const USER = 1000;
/** Also build from sources inside, as a user does: `npm run test:container`. */
const FULL = process.env['CONTAINER_BUILD'] === 'full';
/** The model is played inside, and its commands leave a file. */
const SCRIPT = `
steps:
  - reply: { calls: [{ name: run_command, input: { command: "id -u; ls -A /data | wc -l; echo made > made.txt" } }] }
  - reply: { text: "It said: {{result}}" }
`;

async function prepare() {
  const missing =
    whyNoBase() ?? (spawnSync('docker-compose', ['version']).status === 0 ? undefined : 'docker-compose missing');
  if (missing !== undefined) return { reason: missing };
  return startEngine();
}

const hasPlugin = spawnSync('docker', ['compose', 'version']).status === 0;
const plugin = hasPlugin ? ['compose'] : [];
const started = await prepare();
const folder = mkdtempSync(join(tmpdir(), 'klaus-container-'));
const workspace = join(folder, 'workspace');
const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const env: NodeJS.ProcessEnv = {
  ...process.env,
  DOCKER_BUILDKIT: '0',
  COMPOSE_PROJECT_NAME: PROJECT,
  AGENT_API_SECRET: SECRET,
  AGENT_WORKSPACE: workspace,
  AGENT_MODEL: 'scripted/script.yaml',
  AGENT_PORT: '0',
};
if (started.engine) env['DOCKER_HOST'] = started.engine.host;

async function run(program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, words, { cwd: ROOT, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await onceHappened(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

async function succeed(program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await run(program, words, more);
  expect(code, `${program} ${words.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The options of the shipped file, as `docker run` takes them. */
function toRunOptions(isKept: (option: string) => boolean = () => true): string[] {
  const lines = /^ {4}security_opt:\n((?: {6}.*\n)+)/m.exec(compose)?.[1] ?? '';
  const options = [...lines.matchAll(/^ {6}- (\S+)$/gm)].map(([, option]) => option!);
  expect(options).toHaveLength(4);
  expect(compose).toContain('    cap_drop: [ALL]\n');
  const words = options.filter(isKept).flatMap((option) => ['--security-opt', option.replace(/^([\w-]+):/, '$1=')]);
  return ['--cap-drop', 'ALL', ...words];
}

/** A context that was built on this machine, in seconds: installing all that a build needs takes a minute or more. */
async function createContext(): Promise<string> {
  const context = join(folder, 'context');
  mkdirSync(context);
  await succeed(process.execPath, ['scripts/build.ts', join(context, 'dist')]);
  for (const name of ['Dockerfile', 'package.json', 'LICENSE', 'README.md', 'node_modules/@vscode'])
    cpSync(join(ROOT, name), join(context, name), { recursive: true });
  return context;
}

beforeAll(async () => {
  if (!started.engine) {
    console.warn(`skipped here: the container (${started.reason})`);
    return;
  }
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'script.yaml'), SCRIPT);
  for (const path of [workspace, join(workspace, 'script.yaml')]) chownSync(path, USER, USER);
  importBase(join(folder, 'base'), { name: 'klaus-base', env });
  const context = FULL ? ROOT : await createContext();
  await succeed('docker', ['build', '--network', 'host', '--build-arg', 'BASE=klaus-base', '-t', 'klaus', context]);
}, 600_000);

afterAll(async () => {
  await started.engine?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe.skipIf(!started.engine)(`the container ${started.engine ? '' : `(${started.reason})`}`, () => {
  const once = ['run', '--rm', '--network', 'none', '-v', `${workspace}:/workspace`];
  const prompt = ['klaus', 'run', '--model', 'scripted/script.yaml', 'go'];

  test('with the options of compose.yaml a command runs in bubblewrap, as an unprivileged user', async () => {
    const { code, stdout, stderr } = await run('docker', [...once, ...toRunOptions(), ...prompt]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('sandbox bubblewrap') });
    // Of the state it sees the cache of its own project alone.
    expect(stdout).toContain(`It said: ${USER}\n1\n`);
    expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toBe('made\n');
  });

  test.each(['seccomp', 'systempaths'])(
    'without its option %s nothing runs, and what is missing is said',
    async (name) => {
      const options = toRunOptions((option) => !option.startsWith(name));
      const { code, stderr } = await run('docker', [...once, ...options, ...prompt]);
      expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('docs/container.md') });
    },
  );

  test('with the socket of the engine behind a proxy a command runs in a container of the engine', async () => {
    const socket = join(folder, 'engine', 'proxy.sock');
    mkdirSync(join(folder, 'engine'));
    const engine = started.engine!.host.replace('unix://', '');
    await using proxy = await startSocketProxy({ engine, socket });
    const variables = ['KLAUS_SANDBOX=docker', 'KLAUS_SANDBOX_IMAGE=klaus-base', `DOCKER_HOST=unix://${socket}`];
    const more = variables.flatMap((text) => ['--env', text]);
    const place = ['-v', `${join(folder, 'engine')}:${join(folder, 'engine')}`];
    rmSync(join(workspace, 'made.txt'), { force: true });
    const { code, stdout, stderr } = await run('docker', [...once, ...toRunOptions(), ...place, ...more, ...prompt]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('sandbox docker') });
    expect(stdout).toContain(`It said: ${USER}\n`);
    // The workspace of the host, whose path in the container of Klaus is another one.
    expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toBe('made\n');
    expect(proxy.refused).toEqual([]);
    const left = ['ps', '--all', '--quiet', '--filter', 'label=klaus.owner'];
    expect(await eventually(async () => (await succeed('docker', left)) === '')).toBe(true);
  });

  test('npm run serve starts what compose.yaml says, with the sandbox, and its volume outlives a restart', async () => {
    const more = { KLAUS_MAX_TURNS: '7', LOG_LEVEL: 'debug', KLAUS_APPROVE: '' };
    const serve = (...words: string[]) => succeed('sh', ['scripts/container.sh', ...words], more);
    // Both of them know the container: by `docker compose`, or Debian's docker-compose.
    const stack = (...words: string[]) => succeed(hasPlugin ? 'docker' : 'docker-compose', [...plugin, ...words], more);
    await serve('up', '--detach', '--no-build');
    try {
      const first = await untilHealthy(await publishedPort());
      expect((await fetch(`${first}/api/sessions`)).status).toBe(401);
      const answer = await fetch(`${first}/api/prompt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'go' }),
      });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(`It said: ${USER}`);
      const [before] = await sessionsOf(first);
      expect(before).toMatchObject({ sandbox: 'bubblewrap' });

      const config = await stack('exec', '-T', 'agent', 'klaus', 'config', '--json');
      const settings = JSON.parse(config) as { key: string; value: string; source: string }[];
      const find = (wanted: string) => settings.find(({ key }) => key === wanted);
      expect(find('limits.turns')).toMatchObject({ value: '7', source: 'environment' });
      // Set to nothing, and not set: both have their default.
      expect(find('approve')).toMatchObject({ value: 'auto', source: 'default' });
      expect(find('limits.usd')).toMatchObject({ value: '0', source: 'default' });
      const query = ['klaus', 'db', 'query', 'SELECT id, sandbox FROM sessions', '--json'];
      const rows = await stack('exec', '-T', 'agent', ...query);
      expect(JSON.parse(rows)).toEqual({ id: before!.id, sandbox: 'bubblewrap' });
      await stack('exec', '-T', 'agent', ...(await healthCheck()));

      await serve('down');
      await serve('up', '--detach', '--no-build');
      const second = await untilHealthy(await publishedPort());
      expect((await sessionsOf(second)).map(({ id }) => id)).toEqual([before!.id]);
      const logs = await stack('exec', '-T', 'agent', 'sh', '-c', 'cat /data/logs/agent-*.log');
      expect(logs).toContain('"msg":"stopped"');
      expect(logs).toContain('"level":"debug"');
      expect(await stack('logs', 'agent')).toContain('3001');
    } finally {
      await serve('down');
      await succeed('docker', ['volume', 'rm', `${PROJECT}_data`]);
    }
  });

  test('without what compose.yaml requires nothing is started, and what is missing is said', async () => {
    const { code, stderr } = await run('sh', ['scripts/container.sh', 'up', '--no-build'], { AGENT_WORKSPACE: '' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('AGENT_WORKSPACE');
  });
});

/** Where the server is published, such as `127.0.0.1:49153`. */
async function publishedPort(): Promise<string> {
  const ids = ['ps', '--quiet', '--filter', `label=com.docker.compose.project=${PROJECT}`];
  return succeed('docker', ['port', (await succeed('docker', ids)).trim(), '3001']);
}

async function sessionsOf(address: string): Promise<{ id: string; sandbox?: string }[]> {
  const answer = await fetch(`${address}/api/sessions`, { headers: { authorization: `Bearer ${SECRET}` } });
  return ((await answer.json()) as { sessions: { id: string; sandbox?: string }[] }).sessions;
}

/** The words of the image's own health check. */
async function healthCheck(): Promise<string[]> {
  const text = await succeed('docker', ['image', 'inspect', '--format', '{{json .Config.Healthcheck.Test}}', 'klaus']);
  return (JSON.parse(text) as string[]).slice(1);
}

/** @param published As docker-compose prints it, such as `127.0.0.1:49153`. */
async function untilHealthy(published: string): Promise<string> {
  const address = `http://${published.trim()}`;
  const isHealthy = async () => (await fetch(`${address}/health`).catch(() => undefined))?.ok === true;
  if (!(await eventually(isHealthy))) throw new Error(`${address}/health does not answer`);
  return address;
}
