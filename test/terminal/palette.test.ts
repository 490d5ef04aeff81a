// Covers apps/terminal/app, apps/terminal/commands: the palette, the echo of commands, the help and the names of sessions.
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const CTRL_P = '\u0010';

const SCRIPT: Script = {
  steps: [
    { when: { user: 'again' }, reply: { text: 'Again.' } },
    { when: { user: 'second' }, reply: { text: 'The second one is done.' } },
  ],
  fallback: { text: 'The first one is done.' },
};

test.runIf(hasScript)(
  'Ctrl-P lists sessions, commands, agents and models in groups, and does what is chosen',
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const terminal = await chat.open();
    terminal.type('hello\r');
    await terminal.shows('The first one is done.');
    await untilIdle(terminal);
    terminal.type('/new\r');
    await terminal.shows('The next prompt starts a new session');
    terminal.type(CTRL_P);
    await terminal.shows(/Recent sessions[\s\S]*hello[\s\S]*Commands[\s\S]*\/new/);
    for (const key of 'sonnet') terminal.type(key);
    await terminal.shows(/Models\n[\s\S]*claude-sonnet/);
    await terminal.hides('Recent sessions');
    terminal.type(KEYS.ctrlU);
    await terminal.shows('Recent sessions');
    terminal.type(KEYS.enter);
    await terminal.shows(/\/resume 01[\s\S]*› hello[\s\S]*The first one is done\./);
    terminal.type('again\r');
    await terminal.shows('Again.');
    await untilIdle(terminal);
    expect(await chat.sessions()).toHaveLength(1);
    // It is not a part of the prompts that are recalled.
    terminal.type(KEYS.up);
    await terminal.shows('› again');
    terminal.type(KEYS.up);
    await terminal.shows('› /new');
  },
);

test.runIf(hasScript)('a command is echoed with what it does, above what it prints', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const terminal = await chat.open();
  terminal.type('/context\r');
  await terminal.shows(/^› \/context {2}show how much of the context window is used\n· The context is empty\.$/m);
  terminal.type('/title The cart\r');
  await terminal.shows(/^› \/title The cart {2}name the session\n[^]*✓ The session is named The cart\.$/m);
  terminal.type('hello\r');
  await terminal.shows('The first one is done.');
  await untilIdle(terminal);
  terminal.type('/bug\r');
  const screen = await terminal.shows(/klaus\s+export\s+01\w+\s+--as\s+\w+/);
  const [, id = '', as = ''] = /klaus\s+export\s+(01\w+)\s+--as\s+(\w+)/.exec(screen)!;
  expect((await chat.run('export', id, '--as', as)).code).toBe(0);
});

test.runIf(hasScript)('the help shows keys first, and no line is cut, in 80 and in 46 columns', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  for (const columns of [80, 46]) {
    const terminal = await chat.open({ columns, rows: 160 });
    terminal.type('/help\r');
    const help = await terminal.shows('q closes');
    expect(help.indexOf('Keys')).toBeLessThan(help.indexOf('Commands'));
    expect(help).toMatch(/\d+ lines/);
    const words = help.replaceAll(/\s+/g, ' ');
    expect(words).toContain('show the session that has needed you for the longest time');
    expect(words).toContain('show how much of the context window is used');
    terminal.type('q');
    await terminal.hides('q closes');
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
  }
});

test.runIf(hasScript)(
  'sessions of the same name differ by their last lines, here and in `klaus sessions`',
  async () => {
    const script: Script = {
      steps: [{ when: { model: 'haiku' }, reply: { text: 'Done by haiku.' } }],
      fallback: { text: 'Done by sonnet.' },
    };
    await using chat = await openChatPlace({ script });
    expect((await chat.run('-m', 'anthropic/claude-sonnet-5-5', 'fix the cart')).code).toBe(0);
    expect((await chat.run('-m', 'anthropic/claude-haiku-5-5', 'fix the cart')).code).toBe(0);
    const { stdout } = await chat.run('sessions');
    expect(stdout).toMatch(/fix the cart · Done by haiku\./);
    expect(stdout).toMatch(/fix the cart · Done by sonnet\./);
    const terminal = await chat.open({ columns: 120, words: ['--new'] });
    terminal.type('/sessions\r');
    const screen = await terminal.shows(/Done by haiku[\s\S]*Done by sonnet/);
    expect(screen).not.toContain('0 min ago');
  },
);
