// Covers apps/terminal/screen: how the interactive terminal leaves the terminal after any end.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { CLEAN, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'hang' },
      reply: { text: 'Half of it was written.' },
      chunk: 5,
      faults: [{ kind: 'hang', after: 5, keepAlive: false }],
    },
  ],
  fallback: { text: 'Hello.' },
};

const open = () => openChatPlace({ script: SCRIPT });

/** The state that a terminal reports as supporting the keyboard protocol of kitty. */
const KITTY = '\u001b[?7u';

test.runIf(hasScript).each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s in a run leaves the terminal clean', async (signal, code) => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type(KITTY);
  terminal.type('hang\r');
  await terminal.shows('Half');
  process.kill(terminal.pid, signal);
  expect(await terminal.ended).toBe(code);
  expect(terminal.left()).toEqual(CLEAN);
});

test.runIf(hasScript)(
  'SIGTERM while the complete conversation is shown leaves the alternate screen',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const terminal = await chat.open();
    terminal.type('hello\r');
    await terminal.shows('Hello.');
    await untilIdle(terminal);
    terminal.type(KEYS.ctrlO);
    await terminal.until(() => terminal.isFull(), 'is not full');
    process.kill(terminal.pid, 'SIGTERM');
    expect(await terminal.ended).toBe(143);
    expect(terminal.left()).toEqual(CLEAN);
    expect(terminal.screen()).toContain('Hello.');
  },
);

test.runIf(hasScript)('a terminal whose window is closed ends its program', { tags: ['long'] }, async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type('hang\r');
  await terminal.shows('Half');
  // It resolves when no process is left.
  await terminal.close();
  const types = (await chat.events()).map(({ type }) => type);
  expect(types).toContain('run.started');
});

test.runIf(hasScript)('a session that cannot be read ends the program, and leaves the terminal clean', async () => {
  await using chat = await open();
  const first = await chat.open();
  first.type('hello\r');
  await first.shows('Hello.');
  await untilIdle(first);
  first.type(KEYS.ctrlD);
  expect(await first.ended).toBe(0);
  const database = join(chat.place.home, 'klaus.db');
  for (const name of ['-wal', '-shm']) rmSync(`${database}${name}`, { force: true });
  renameSync(database, `${database}.kept`);
  writeFileSync(database, 'This is no database. '.repeat(500));
  const second = await chat.open({ isReady: false });
  expect(await second.ended).not.toBe(0);
  expect(second.left()).toEqual(CLEAN);
  expect(second.screen()).toMatch(/database/);
});

test.runIf(hasScript)(
  'Ctrl-Z suspends with a clean terminal, and fg continues with the input',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const terminal = await chat.open({ hasJobs: true });
    terminal.type('half a pr');
    await terminal.shows('› half a pr');
    terminal.type(KEYS.ctrlZ);
    await terminal.shows('[stopped]');
    expect(terminal.left()).toEqual(CLEAN);
    terminal.type(KEYS.enter);
    await terminal.shows(/\[stopped\][\s\S]*› half a pr/);
    terminal.type('ompt\r');
    await terminal.shows('Hello.');
    await untilIdle(terminal);
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
    expect(terminal.left()).toEqual(CLEAN);
  },
);

test.runIf(hasScript)('Ctrl-Z has no effect where nothing can continue the program', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type('one');
  await terminal.shows('› one');
  terminal.type(KEYS.ctrlZ);
  // The terminal is opened again.
  await terminal.until(() => terminal.output.split('\u001b[?2004h').length > 2, 'does not continue');
  terminal.type(' two');
  await terminal.shows('› one two');
  expect(terminal.hasEnded).toBe(false);
});
