// Covers apps/cli/setup, apps/cli/commands, apps/cli/prompt, apps/terminal/app, apps/terminal/commands, sdk/models: a start without a model.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, startServer, toEnv } from '../fixtures/klaus.ts';
import { startLocalProgram, type LocalProgram } from '../fixtures/local-program.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { openChatPlace } from '../terminal/open-chat.ts';

const KEY = 'sk-ant-setup-5be17c90d2f4';
const MENU = 'How should it reach one?';
/** No key, no keyring, no model, and no program at a usual port. */
const NOTHING = {
  AGENT_MODEL: '',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  OLLAMA_HOST: '127.0.0.1:9',
  LLAMA_ARG_PORT: '9',
};

interface OpenOptions {
  words?: readonly string[];
  env?: Record<string, string>;
}

async function open(place: TestHome, { words = [], env = {} }: OpenOptions = {}): Promise<Emulator> {
  return await openEmulator([process.execPath, MAIN, ...words], {
    env: toEnv({ place, env: { ...NOTHING, ...env } }),
    cwd: place.workspace,
    columns: 100,
  });
}

/** A server whose only model says hello. */
async function startHello(): Promise<LocalProgram> {
  const program = await startLocalProgram({
    family: 'vllm',
    id: 'big',
    script: 'steps: []\nfallback: { text: hello }\n',
  });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

/** Answers the questions about a server that needs no key. */
async function nameServer(terminal: Emulator, baseUrl: string): Promise<void> {
  await terminal.shows(/◆ +Base URL/);
  terminal.type(`${baseUrl}${KEYS.enter}`);
  await terminal.shows(/◆ +Format of its requests/);
  terminal.type(KEYS.enter);
  await terminal.shows(/◆ +Key of the server/);
  terminal.type(KEYS.enter);
}

/** Chooses from the menu by the number of rows below the first one. */
async function choose(terminal: Emulator, below: number): Promise<void> {
  await terminal.shows(MENU);
  terminal.type(`${KEYS.down.repeat(below)}${KEYS.enter}`);
}

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  test('a server is tested, stored and used, and a later start asks nothing', async () => {
    using place = createTestHome();
    const program = await startHello();
    await using terminal = await open(place);
    await choose(terminal, 1);
    await nameServer(terminal, `${program.origin}/v1`);
    await terminal.shows('Another model');
    terminal.type(KEYS.enter);
    await terminal.shows('/help');
    const name = `server-${new URL(program.origin).port}`;
    const settings = readFileSync(join(place.home, 'config.yaml'), 'utf8');
    expect(settings).toContain(`model: ${name}/big`);
    expect(settings).toContain(`${program.origin}/v1`);
    terminal.type(`hi${KEYS.enter}`);
    await terminal.shows('hello');
    await using later = await open(place);
    await later.shows('/help');
    expect(later.output).not.toContain(MENU);
  });

  test('a server that does not answer is said so, and can be changed', async () => {
    using place = createTestHome();
    const program = await startHello();
    await using terminal = await open(place);
    await choose(terminal, 1);
    await nameServer(terminal, 'http://127.0.0.1:9/v1');
    await terminal.shows('What now?');
    expect(existsSync(join(place.home, 'config.yaml'))).toBe(false);
    terminal.type(KEYS.enter);
    await nameServer(terminal, `${program.origin}/v1`);
    await terminal.shows('Another model');
    terminal.type(KEYS.enter);
    await terminal.shows('/help');
  });

  test('without a model the prompt stays in the input, and goes after /login', async () => {
    using place = createTestHome();
    const program = await startHello();
    await using terminal = await open(place);
    await choose(terminal, 3);
    await terminal.shows('/help');
    terminal.type(`say it${KEYS.enter}`);
    await terminal.shows('/login sets up a model.');
    await terminal.shows(/^.*say it *$/m);
    terminal.type(`${KEYS.ctrlU}/login${KEYS.enter}`);
    await terminal.shows('A server by its base URL');
    terminal.type(`${KEYS.up.repeat(2)}${KEYS.enter}`);
    await nameServer(terminal, `${program.origin}/v1`);
    await terminal.shows('Another model');
    terminal.type(KEYS.enter);
    await terminal.shows('The next prompt uses it.');
    terminal.type(`say it${KEYS.enter}`);
    await terminal.shows('hello');
    expect(program.bodies).toHaveLength(2);
  });

  test('a prompt of the command line is answered after the questions', async () => {
    using place = createTestHome();
    const program = await startHello();
    await using terminal = await open(place, { words: ['Say it.'] });
    await choose(terminal, 1);
    await nameServer(terminal, `${program.origin}/v1`);
    await terminal.shows('Another model');
    terminal.type(KEYS.enter);
    await terminal.shows('hello');
    expect(await terminal.ended).toBe(0);
  });

  test('a key that is refused can be pasted again, and the refused one is not stored', async () => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [{ reply: {}, faults: [{ kind: 'status', status: 401, message: `no such key ${KEY}` }] }],
      fallback: { text: 'Done.' },
    });
    await using terminal = await open(place, {
      words: ['login', 'anthropic'],
      env: { ANTHROPIC_BASE_URL: server.url },
    });
    await terminal.shows('Key of Anthropic');
    terminal.type(`${KEY}${KEYS.enter}`);
    await terminal.shows('What now?');
    expect(existsSync(join(place.home, 'keys.json'))).toBe(false);
    terminal.type(KEYS.enter);
    await terminal.shows(/Paste a key again[\s\S]*Key of Anthropic/);
    terminal.type(`${KEY}-2${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(join(place.home, 'keys.json'), 'utf8')).toContain(`${KEY}-2`);
    expect(terminal.output).not.toContain(KEY.slice(0, 12));
  });

  test('Claude Code is offered if it is installed, and gets the prompt', async () => {
    using place = createTestHome();
    const folder = join(place.workspace, '..', 'programs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(folder, 'claude'), 0o755);
    const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
    await using terminal = await open(place, { words: ['Say it.'], env });
    await choose(terminal, 2);
    await terminal.shows(/^Say it\.$/m);
    expect(existsSync(join(place.home, 'config.yaml'))).toBe(false);
  });

  test.each([
    [401, '/login'],
    [402, '/model'],
    [429, '/resume'],
  ])('after a run that ended with %i, the terminal names %s', async (status, command) => {
    await using chat = await openChatPlace({
      script: {
        steps: [{ reply: {}, faults: Array.from({ length: 4 }, () => ({ kind: 'status' as const, status })) }],
      },
    });
    const terminal = await chat.open();
    terminal.type(`hi${KEYS.enter}`);
    await terminal.shows(`\`${command}\``);
    expect(terminal.screen()).not.toContain('klaus login');
  });
});
