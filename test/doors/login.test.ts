// Covers apps/cli/commands, apps/cli/prompt, sdk/config, sdk/models, adapters/system: klaus login and klaus logout.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CLEAN, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { type Ended, MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';

const SCRIPT = { steps: [], fallback: { text: 'Done.' } };
const KEY = 'sk-ant-login-93b0c2d7e1f4';
/** True if this machine can start a keyring of its own. */
const hasKeyring = ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool'].every(
  (name) => spawnSync(name, ['--version']).error === undefined,
);

/** A caller with the address of a model and no key. The address of a bus that does not exist means no keyring. */
function createCaller(place: TestHome, url: string) {
  const own = { ANTHROPIC_BASE_URL: url, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  return (words: readonly string[], stdin?: string, env: Record<string, string> = {}): Promise<Ended> =>
    runKlaus(words, { place, env: { ...own, ...env }, stdin });
}

async function listSources(klaus: ReturnType<typeof createCaller>, env?: Record<string, string>) {
  const { stdout } = await klaus(['login', '--list', '--json'], undefined, env);
  const rows = JSON.parse(stdout) as { provider: string; source?: string; stored?: string }[];
  return Object.fromEntries(rows.map(({ provider, source, stored }) => [provider, [source, stored]]));
}

test('a key from standard input is checked once, stored for this user only, used, and deleted', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const klaus = createCaller(place, server.url);
  const file = join(place.home, 'keys.json');
  expect(await klaus(['say hello'])).toMatchObject({ code: 3, stderr: expect.stringContaining('klaus login') });
  expect(await klaus(['login', 'anthropic'], `${KEY}\n`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(file),
  });
  expect(server.requests).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await listSources(klaus)).toMatchObject({ anthropic: ['key file', 'file'], openai: [undefined, undefined] });
  const shown = [await klaus(['login', '--list']), await klaus(['config']), await klaus(['doctor'])];
  for (const { stdout, stderr } of shown) {
    expect(stdout).toContain(file);
    expect(stdout + stderr).not.toContain(KEY);
  }
  expect(await klaus(['say hello'])).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(await klaus(['logout'])).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  expect(await klaus(['logout'])).toMatchObject({ code: 2 });
  expect(await klaus(['say hello'])).toMatchObject({ code: 3 });
});

test.for([401, 403])('a key that the provider refuses with %i is not stored', async (status) => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: {}, faults: [{ kind: 'status', status, message: `no such key ${KEY}` }] }],
    fallback: { text: 'Done.' },
  });
  const klaus = createCaller(place, server.url);
  const refused = await klaus(['login', 'anthropic'], KEY);
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).not.toContain(KEY);
  expect(existsSync(join(place.home, 'keys.json'))).toBe(false);
});

test('without an answer nothing is stored, except with --no-check', async () => {
  using place = createTestHome();
  const klaus = createCaller(place, 'http://127.0.0.1:9');
  expect(await klaus(['login', 'anthropic'], KEY)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/--no-check/),
  });
  expect(existsSync(join(place.home, 'keys.json'))).toBe(false);
  expect(await klaus(['login', 'anthropic', '--no-check'], KEY)).toMatchObject({ code: 0 });
  expect((await listSources(klaus))['anthropic']).toEqual(['key file', 'file']);
});

test('a provider whose account has no credit has accepted the key', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: {}, faults: [{ kind: 'status', status: 429 }] }],
    fallback: { text: 'Done.' },
  });
  expect(await createCaller(place, server.url)(['login', 'anthropic'], KEY)).toMatchObject({ code: 0 });
});

test(
  'the environment is stronger than a stored key, and both are removed from what the log sees',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    const klaus = createCaller(place, server.url);
    await klaus(['login', 'anthropic'], KEY);
    // Another key of the same provider.
    const env = { ANTHROPIC_AUTH_TOKEN: 'token-of-the-environment-5521' };
    expect((await listSources(klaus, env))['anthropic']).toEqual(['environment', 'file']);
    const again = await klaus(['login', 'anthropic'], KEY, env);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('environment') });
    for (const given of [{}, env]) {
      const { stdout } = await klaus(['--json', `is ${KEY} right?`], undefined, given);
      expect(toEvents(stdout).some((event) => event.type === 'message.added')).toBe(true);
      expect(stdout).not.toContain(KEY);
    }
  },
);

test('a wrong command line is refused before a key is read', async () => {
  using place = createTestHome();
  const klaus = createCaller(place, 'http://127.0.0.1:9');
  expect(await klaus(['login', 'antropic'], KEY)).toMatchObject({ code: 2 });
  expect(await klaus(['login'], KEY)).toMatchObject({ code: 2, stderr: expect.stringContaining('anthropic') });
  expect(await klaus(['login', 'anthropic'])).toMatchObject({ code: 2 });
  expect(await klaus(['login', 'anthropic', '--no-check'], 'two words')).toMatchObject({ code: 3 });
});

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  const open = (place: TestHome, words: readonly string[], env: Record<string, string>) =>
    openEmulator([process.execPath, MAIN, ...words], {
      env: toEnv({ place, env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', ...env } }),
      cwd: place.workspace,
    });

  test.each<Record<string, string>>([{}, { ACCESSIBLE: '1' }])(
    'the provider is chosen and the key is not shown: %o',
    async (env) => {
      using place = createTestHome();
      await using server = await startServer(SCRIPT);
      await using terminal = await open(place, ['login'], { ANTHROPIC_BASE_URL: server.url, ...env });
      await terminal.shows('Anthropic');
      terminal.type(KEYS.enter);
      await terminal.shows('Key of Anthropic');
      terminal.type(KEYS.enter);
      await terminal.shows('Ctrl-C');
      terminal.type(`${KEY}${KEYS.enter}`);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen()).toContain('keys.json');
      expect(terminal.output).not.toContain(KEY.slice(0, 12));
      expect(terminal.left()).toEqual(CLEAN);
      expect(server.requests).toHaveLength(1);
      expect(readFileSync(join(place.home, 'keys.json'), 'utf8')).toContain(KEY);
    },
  );

  test('Ctrl-C stores nothing, while the key is typed and while it is checked', async () => {
    using place = createTestHome();
    const arrived = Promise.withResolvers<void>();
    // It never answers.
    const silent = createServer(() => arrived.resolve()).listen(0, '127.0.0.1');
    onTestFinished(() => {
      silent.close();
      silent.closeAllConnections();
    });
    await once(silent, 'listening');
    const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    for (const isChecked of [false, true]) {
      await using terminal = await open(place, ['login', 'anthropic'], env);
      await terminal.shows('Key of Anthropic');
      if (isChecked) {
        terminal.type(`${KEY}${KEYS.enter}`);
        await arrived.promise;
      }
      terminal.type(KEYS.ctrlC);
      expect(await terminal.ended).toBe(130);
      expect(terminal.left()).toEqual(CLEAN);
      expect(existsSync(join(place.home, 'keys.json'))).toBe(false);
    }
  });

  test('a stored key is chosen and deleted', async () => {
    using place = createTestHome();
    const klaus = createCaller(place, 'http://127.0.0.1:9');
    for (const name of ['anthropic', 'openai']) await klaus(['login', name, '--no-check'], `${KEY}-${name}`);
    await using terminal = await open(place, ['logout'], {});
    await terminal.shows('OpenAI');
    terminal.type(`${KEYS.down}${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(await listSources(klaus)).toMatchObject({ anthropic: ['key file', 'file'], openai: [undefined, undefined] });
  });
});

test.skipIf(!hasKeyring)('where there is a keyring, the key is in it and not in the state folder', async () => {
  using place = createTestHome();
  const klaus = `'${process.execPath}' '${MAIN}'`;
  const script = `
printf 'password\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
printf '${KEY}' | ${klaus} login anthropic --no-check
cat "$KLAUS_HOME/keys.json"
${klaus} login --list
${klaus} config
${klaus} logout anthropic
${klaus} login --list --json`;
  const env = toEnv({ place });
  const printed = execFileSync('dbus-run-session', ['--', 'sh', '-c', script], {
    cwd: place.workspace,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(printed).toMatch(/"in": "keyring"/);
  expect(printed).toMatch(/^anthropic +keyring +/m);
  expect(printed).toMatch(/^keys\.anthropic +set .* keyring$/m);
  expect(printed).not.toContain(KEY);
  expect(JSON.parse(printed.slice(printed.lastIndexOf('\n[') + 1))).toContainEqual({
    provider: 'anthropic',
    title: 'Anthropic',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  });
});
