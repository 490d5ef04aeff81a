// Covers apps/cli/commands/system, sdk/mcp: the commands about MCP servers, and the trust of the user.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMcpConfiguration, type Klaus } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, startKlaus, toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startHttpServer } from './http-server.ts';
import { toEntry } from './open-session.ts';

const { command, args } = toEntry();

test('a server is added, listed, tested and removed', { timeout: 60_000 }, async () => {
  using place = createTestHome();
  const klaus = async (...words: string[]) => {
    const { code, stdout } = await runKlaus(['mcp', ...words], { place, env: { KLAUS_SANDBOX: 'host' } });
    return { code, stdout };
  };
  expect(await klaus('add', 'one', '--', command, ...args)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(place.workspace, '.mcp.json'), 'utf8'))).toEqual({
    mcpServers: { one: { command, args } },
  });
  expect(JSON.parse((await klaus('list', '--json')).stdout)).toMatchObject({
    name: 'one',
    from: 'project',
    isTrusted: true,
  });
  const tested = await klaus('test', 'one', '--json');
  expect(JSON.parse(tested.stdout)).toMatchObject({
    server: 'fixture 1.0.0',
    protocol: '2025-11-25',
    tools: expect.arrayContaining([{ name: 'echo', description: 'Repeat a text.', reads: true }]),
    prompts: [{ name: 'greet', description: 'Greet.', arguments: [{ name: 'who', required: true }] }],
    resources: 1,
  });
  expect(await klaus('remove', 'one')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(place.workspace, '.mcp.json'), 'utf8'))).toEqual({ mcpServers: {} });
  expect((await klaus('test', 'one')).code).toBe(2);
});

test(
  'the user marks tools that only read, and a change of the tool removes the mark',
  { timeout: 60_000 },
  async () => {
    using place = createTestHome();
    const klaus = async (...words: string[]) =>
      (await runKlaus(['mcp', ...words], { place, env: { KLAUS_SANDBOX: 'host' } })).code;
    const reading = (): unknown =>
      (JSON.parse(readFileSync(join(place.home, 'mcp-tools.json'), 'utf8')) as { servers: { reading: string[] }[] })
        .servers[0]!.reading;
    await klaus('add', 'one', '--', command, ...args);
    expect(await klaus('trust', 'one', '--read-only', 'echo', 'count')).toBe(0);
    expect(reading()).toEqual(['echo', 'count']);
    // Without the option, the marks stay.
    expect(await klaus('trust', 'one')).toBe(0);
    expect(reading()).toEqual(['echo', 'count']);
    expect(await klaus('trust', 'one', '--read-only', 'none-of-its')).toBe(2);
    const file = join(place.home, 'mcp-tools.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Repeat a text.', 'Another text.'));
    expect(await klaus('trust', 'one', '--yes')).toBe(0);
    expect(reading()).toEqual(['count']);
    expect(await klaus('trust', 'one', '--no-read-only')).toBe(0);
    expect(reading()).toEqual([]);
  },
);

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  const trust = async (place: TestHome, answers: readonly string[]) => {
    await using terminal = await openEmulator([process.execPath, MAIN, 'mcp', 'trust', 'one'], {
      env: toEnv({ place, env: { KLAUS_SANDBOX: 'host', ACCESSIBLE: '1' } }),
      cwd: place.workspace,
      columns: 120,
    });
    const questions = [/Accept them\?/, /only read: .*\?/];
    for (const [at, answer] of answers.entries()) {
      await terminal.shows(questions[at]!);
      terminal.type(`${answer}${KEYS.enter}`);
    }
    expect(await terminal.ended).toBe(0);
    return terminal.screen();
  };
  const toPlace = (): TestHome =>
    createTestHome({ '.mcp.json': JSON.stringify({ mcpServers: { one: { command, args } } }) });
  const file = ({ home }: TestHome): string => join(home, 'mcp-tools.json');
  const reading = (place: TestHome): unknown =>
    (JSON.parse(readFileSync(file(place), 'utf8')) as { servers: { reading: string[] }[] }).servers[0]!.reading;

  // The first choice is no.
  test.each([
    ['2', ['echo', 'look', 'count', 'grow', 'ask']],
    ['1', []],
  ])(
    'the tools that say that they only read are marked after the answer %s',
    { timeout: 60_000 },
    async (answer, marked) => {
      using place = toPlace();
      const screen = await trust(place, ['2', answer]);
      expect(reading(place)).toEqual(marked);
      // The question names those that say so, and no others.
      const question = /only read: (.*?)\. Run/s.exec(screen)?.[1] ?? '';
      expect(question.replaceAll(/\s+/g, ' ').split(', ')).toEqual(['echo', 'look', 'count', 'grow', 'ask']);
    },
  );

  test('without accepted descriptions nothing is asked about reading', { timeout: 60_000 }, async () => {
    using place = toPlace();
    expect(await trust(place, ['1'])).not.toContain('only read:');
    expect(existsSync(file(place))).toBe(false);
  });
});

test.each([
  ['a name with a separator', 'a__b', { command: 'x' }],
  ['no program', 'one', { args: [] }],
  ['an address of another kind', 'one', { type: 'http', url: 'file:///etc/passwd' }],
  ['an address with a password', 'one', { type: 'http', url: 'https://a:b@example.com' }],
])('%s is not added', async (_, name, entry) => {
  using place = createTestHome();
  const mcp = openMcpConfiguration({ cwd: place.workspace, env: place.env });
  await expect(mcp.add(name, entry, 'project')).rejects.toMatchObject({ code: 'config' });
  expect(existsSync(join(place.workspace, '.mcp.json'))).toBe(false);
});

const opened = async (klaus: Klaus, open: object = {}) => {
  const events = await Array.fromAsync((await klaus.open(open)).events());
  return {
    servers: ofType(events, 'session.opened')[0]!.mcpServers?.map(({ name }) => name) ?? [],
    notices: ofType(events, 'notice').length,
  };
};

test('a server of the project is used after the user trusts its entry, and not after a change of it', async () => {
  const write = (file: string, text: string): void =>
    writeFileSync(file, JSON.stringify({ mcpServers: { one: toEntry(text) } }));
  await using engine = await createTestEngine({ script: { steps: [] } });
  const { klaus, place } = engine;
  const file = join(place.workspace, '.mcp.json');
  const env = { ...place.env, KLAUS_HOME: place.home };
  write(file, 'plain');
  expect(await opened(klaus)).toEqual({ servers: [], notices: 1 });
  await openMcpConfiguration({ cwd: place.workspace, env }).trust('one');
  expect(await opened(klaus)).toEqual({ servers: ['one'], notices: 0 });
  write(file, 'many');
  expect(await opened(klaus)).toEqual({ servers: [], notices: 1 });
  expect(await opened(klaus, { trustCommand: true })).toEqual({ servers: ['one'], notices: 0 });
});

test('a session does not use an entry that changed after it was opened', async () => {
  const script = {
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'mcp__one__echo', input: { text: 'x' } }] } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
  };
  await using engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: { one: toEntry() } }) },
    script,
  });
  const session = await engine.klaus.open({ trustCommand: true });
  writeFileSync(join(engine.place.workspace, '.mcp.json'), JSON.stringify({ mcpServers: { one: toEntry('greets') } }));
  await session.prompt('go');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toMatchObject([
    { outcome: 'error', detail: { code: 'config' } },
  ]);
});

test('klaus mcp login stores the tokens, and a session uses them', { tags: ['long'], timeout: 60_000 }, async () => {
  using place = createTestHome();
  using server = await startHttpServer({ access: 'oauth' });
  // No keyring can be reached.
  const env = { KLAUS_SANDBOX: 'host', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  expect(await runKlaus(['mcp', 'add', '--user', '--url', server.url, 'web'], { place, env })).toMatchObject({
    code: 0,
  });
  const refused = await runKlaus(['mcp', 'test', 'web'], { place, env });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('klaus mcp login web');
  const login = startKlaus(['mcp', 'login', 'web'], { place, env });
  await login.printed('stderr', '/authorize');
  const [address] = /http:\S*\/authorize\S*/.exec(login.text.stderr) ?? [];
  // The browser of the user.
  expect((await fetch(address!)).status).toBe(200);
  expect(await login.ended).toMatchObject({ code: 0 });
  const file = join(place.home, 'mcp-logins.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain([...server.tokens][0]!);
  expect(await runKlaus(['mcp', 'test', 'web'], { place, env })).toMatchObject({ code: 0 });
});
