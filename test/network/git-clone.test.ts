// Covers adapters/tools/install, adapters/tools/git/remote, adapters/sandboxes/network: clones and pushes over HTTPS, and where their credentials are.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { pushBranch } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import type { Script, Tool } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';
import { startGitServer, type GitServer } from './git-server.ts';

afterEach(() => vi.unstubAllEnvs());

const PASSWORD = 'correct-horse-battery-0451';
const CREDENTIALS = `me:${PASSWORD}`;

interface Run {
  server: GitServer;
  grant?: readonly string[];
  calls: readonly ToolCall[];
  credentials?: string;
  onAsk?: 'deny' | 'wait';
}

async function run({ server, grant = [], calls, credentials, onAsk = 'deny' }: Run) {
  vi.stubEnv('GIT_SSL_CAINFO', server.certificate);
  const script: Script = {
    steps: [{ when: { turn: 0 }, reply: { calls: [...calls] } }],
    fallback: { text: 'Done.' },
  };
  const engine = await createTestEngine({
    script,
    files: { 'README.md': 'Own.\n' },
    env: credentials === undefined ? {} : { GIT_CREDENTIALS: credentials },
    settings: { 'sandbox.driver': 'bubblewrap', checkpoint: 'manual' },
  });
  const session = await engine.klaus.open({ grant: ['file-operations', 'code-execution', ...grant] });
  await session.prompt('go', { onAsk });
  const advanced = await session.advance();
  const events = await Array.fromAsync(session.events());
  const finished = ofType(events, 'tool.finished');
  return { engine, session, advanced, events, finished, decided: ofType(events, 'gate.decided') };
}

const clone = (server: GitServer, more: object = {}): ToolCall => ({
  name: 'git_clone',
  input: { url: `${server.url}/app.git`, ...more },
});

test(
  'a repository is cloned under a grant for its host, with its history and its remote',
  { timeout: 60_000 },
  async () => {
    using server = await startGitServer();
    const { engine, finished, decided } = await run({
      server,
      grant: [`net(localhost, ${server.port})`],
      calls: [clone(server), { name: 'run_command', input: { command: 'git -C app log --oneline origin/main' } }],
    });
    await using _ = engine;
    expect(
      decided.map(({ verdict }) => verdict),
      JSON.stringify(decided[0]),
    ).toEqual(['allow', 'allow']);
    expect(
      finished.map(({ outcome }) => outcome),
      finished[0]?.output,
    ).toEqual(['ok', 'ok']);
    expect(finished[1]?.output).toContain('First');
    const folder = join(engine.place.workspace, 'app');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('Hello.\n');
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).toContain(`url = ${server.url}/app.git`);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('klaus-clone-'))).toEqual([]);
  },
);

test('without the grant it asks, and a server that needs a password fails', { timeout: 60_000 }, async () => {
  using server = await startGitServer({ credentials: CREDENTIALS });
  const asked = await run({ server, grant: ['net(example.com, 443)'], calls: [clone(server)] });
  await using _ = asked.engine;
  expect(asked.decided[0]).toMatchObject({ verdict: 'ask', rule: 'grant' });
  expect(asked.finished[0]?.outcome).toBe('denied');
  const failed = await run({ server, grant: [`net(localhost, ${server.port})`], calls: [clone(server)] });
  await using _second = failed.engine;
  expect(failed.finished[0]?.outcome).toBe('error');
  expect(existsSync(join(failed.engine.place.workspace, 'app'))).toBe(false);
  expect([...server.authorizations]).toEqual([]);
});

test('credentials need their own grant, and are for their server alone', { timeout: 60_000 }, async () => {
  using server = await startGitServer({ credentials: CREDENTIALS });
  const net = `net(localhost, ${server.port})`;
  const credentials = `https://${CREDENTIALS}@localhost:${server.port}/`;
  const asked = await run({ server, grant: [net], calls: [clone(server)], credentials });
  await using _ = asked.engine;
  expect(asked.decided[0]).toMatchObject({ verdict: 'ask', rule: 'grant' });
  expect([...server.authorizations]).toEqual([]);
  const other = await run({
    server,
    grant: [net, 'secret(GIT_CREDENTIALS → localhost)'],
    calls: [clone(server)],
    credentials: `https://${CREDENTIALS}@localhost:1/`,
  });
  await using _second = other.engine;
  expect(other.finished[0]?.outcome).toBe('error');
  expect([...server.authorizations]).toEqual([]);
});

/** Collects everything that a process in the sandbox can read until a file exists. */
const SPY = `while [ ! -e stop ]; do
  for folder in /proc/[0-9]*; do tr '\\0' '\\n' <$folder/environ; tr '\\0' '\\n' <$folder/cmdline; done
  env; find /tmp /run "$HOME" -xdev -type f -size -200k -exec cat {} +; ls /tmp /run/klaus
done >>spied 2>/dev/null
`;

test('a command that runs during a clone cannot read the credentials', { timeout: 120_000 }, async () => {
  let workspace = '';
  using server = await startGitServer({
    credentials: CREDENTIALS,
    // The download waits until the command has looked around.
    onRequest: async () => {
      const size = (): number =>
        existsSync(join(workspace, 'spied')) ? readFileSync(join(workspace, 'spied')).length : 0;
      const before = size();
      await vi.waitFor(() => expect(size()).toBeGreaterThan(before + 1_000), { timeout: 60_000 });
    },
  });
  vi.stubEnv('GIT_SSL_CAINFO', server.certificate);
  const script: Script = {
    steps: [
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'run_command', input: { command: 'sh spy.sh', background: true } }] },
      },
      { when: { turn: 1 }, reply: { calls: [clone(server)] } },
    ],
    fallback: { text: 'Done.' },
  };
  await using engine = await createTestEngine({
    script,
    files: { 'spy.sh': SPY },
    env: { GIT_CREDENTIALS: `https://${CREDENTIALS}@localhost:${server.port}/` },
    settings: { 'sandbox.driver': 'bubblewrap', checkpoint: 'manual' },
  });
  workspace = engine.place.workspace;
  const grant = [`net(localhost, ${server.port})`, 'secret(GIT_CREDENTIALS → localhost)'];
  const session = await engine.klaus.open({ grant: ['file-operations', 'code-execution', ...grant] });
  await session.prompt('go');
  await session.advance();
  writeFileSync(join(workspace, 'stop'), '');
  const events = await Array.fromAsync(session.events());
  const finished = ofType(events, 'tool.finished');
  expect(
    finished.map(({ outcome }) => outcome),
    finished[1]?.output,
  ).toEqual(['ok', 'ok']);
  expect([...server.authorizations]).toEqual([`Basic ${btoa(CREDENTIALS)}`]);
  const spied = readFileSync(join(workspace, 'spied'), 'latin1');
  expect(spied).toContain('PATH=');
  const config = readFileSync(join(workspace, 'app/.git/config'), 'utf8');
  for (const text of [spied, config, JSON.stringify(events)]) {
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(btoa(CREDENTIALS));
  }
});

const REFUSED = [
  ...['http://localhost/a', 'ssh://git@localhost/a', 'https://me:word@localhost/a', 'file:///etc', 'ext::sh -c id'],
  ...['--upload-pack=id', 'https://localhost/', 'https://localhost/.git'],
];

test('only an address of HTTPS without a password is cloned', { timeout: 60_000 }, async () => {
  using server = await startGitServer();
  const calls = REFUSED.map((url): ToolCall => ({ name: 'git_clone', input: { url } }));
  const { engine, decided } = await run({ server, grant: ['net(localhost)'], calls });
  await using _ = engine;
  expect(decided.map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual(calls.map(() => 'deny prepare'));
});

test('a push uses the credentials for their server', { timeout: 60_000 }, async () => {
  using server = await startGitServer({ credentials: CREDENTIALS });
  vi.stubEnv('GIT_SSL_CAINFO', server.certificate);
  using place = createTestHome({ 'a.txt': 'a\n' });
  const git = (...words: string[]) => execFileSync('git', words, { cwd: place.workspace, stdio: 'pipe' });
  git('checkout', '-q', '-b', 'topic');
  git('-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '-q', '--allow-empty', '-m', 'Own');
  git('remote', 'add', 'origin', `${server.url}/app.git`);
  const context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: await createSandbox({ workspace: place.workspace, home: place.home, choice: 'bubblewrap' }),
    credentials: { GIT_CREDENTIALS: `https://${CREDENTIALS}@localhost:${server.port}` },
  });
  const input = { remote: 'origin', force: false, protected: [] };
  const { intent, text } = await callTool([pushBranch as Tool], 'push_branch', { input, context });
  expect(intent.access).toContainEqual({ kind: 'secret', name: 'GIT_CREDENTIALS', host: 'localhost' });
  expect(server.git('log', '--format=%s', 'topic')).toContain('Own');
  expect(text).not.toContain(PASSWORD);
});
