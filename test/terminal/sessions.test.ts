// Covers apps/terminal/commands, apps/terminal/app: rewind, fork, undo, redo and the list of sessions in the interactive terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { type Emulator, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { type ChatPlace, openChatPlace, untilIdle } from './open-chat.ts';

const write = (content: string) => ({ calls: [{ name: 'write_file', input: { path: 'a.txt', content } }] });

const SCRIPT: Script = {
  steps: [
    { when: { user: '^one$', after: 'write_file' }, reply: { text: 'Wrote one.' } },
    { when: { user: '^two$', after: 'write_file' }, reply: { text: 'Wrote two.' } },
    { when: { after: 'write_file' }, reply: { text: 'Written.' } },
    { when: { user: 'continue$' }, reply: { text: 'Continued.' } },
    { when: { user: 'return$' }, reply: { text: 'Returned.' } },
    { when: { user: '^one$' }, reply: write('one\n') },
    { when: { user: '^two$' }, reply: write('two\n') },
  ],
  fallback: { text: 'Hello.' },
};

const FILES = { 'a.txt': 'zero\n' };

const readText = ({ place }: ChatPlace): string => readFileSync(join(place.workspace, 'a.txt'), 'utf8');

/** Sends a prompt, and waits for the answer and the end of its run. */
async function prompt(terminal: Emulator, text: string, answer: string): Promise<void> {
  terminal.type(`${text}\r`);
  await terminal.shows(answer);
  await untilIdle(terminal);
}

/** A session in which two prompts have changed the file. */
async function openTwo(): Promise<{ chat: ChatPlace; terminal: Emulator } & AsyncDisposable> {
  const chat = await openChatPlace({ script: SCRIPT, files: FILES, words: ['--approve', 'auto'] });
  const terminal = await chat.open();
  await prompt(terminal, 'one', 'Wrote one.');
  await prompt(terminal, 'two', 'Wrote two.');
  expect(readText(chat)).toBe('two\n');
  return { chat, terminal, [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose]() };
}

/** Opens the list of moments, and chooses the last message and a part. */
async function rewind(terminal: Emulator, part: 'both' | 'conversation' | 'files'): Promise<void> {
  terminal.type(KEYS.escape);
  await terminal.shows('Esc again: rewind');
  terminal.type(KEYS.escape);
  // Nothing is selected at first: Enter alone does nothing.
  await terminal.shows(/Rewind to before:[\s\S]*  two[\s\S]*  one[\s\S]*↑ ↓ select/);
  terminal.type(KEYS.enter);
  await terminal.still(100);
  terminal.type(KEYS.down);
  await terminal.shows(/Rewind to before:[\s\S]*› two[\s\S]*one/);
  terminal.type(KEYS.enter);
  await terminal.shows(/  conversation and files[\s\S]*↑ ↓ select/);
  const steps = { both: 1, conversation: 2, files: 3 }[part];
  for (let step = 0; step < steps; step++) terminal.type(KEYS.down);
  // The name of the first item begins with the one of the second.
  await terminal.shows(new RegExp(`^│ › ${part === 'both' ? 'conversation and files' : part}(?:$|  )`, 'm'));
  terminal.type(KEYS.enter);
}

test.runIf(hasScript).each([
  ['both', 'one\n'],
  ['conversation', 'two\n'],
] as const)('Esc Esc rewinds %s to before a message, in a copy of the session', async (part, content) => {
  await using opened = await openTwo();
  const { chat, terminal } = opened;
  const [before] = await chat.sessions();
  await rewind(terminal, part);
  await terminal.shows('The one before the rewind is kept');
  // The message can be sent again, changed.
  await terminal.shows(/^› two\s*$/m);
  expect(readText(chat)).toBe(content);
  const [now, ...others] = await chat.sessions();
  expect(others).toEqual([before]);
  const texts = JSON.stringify(await chat.events(now));
  expect(texts).toContain('Wrote one.');
  expect(texts).not.toContain('Wrote two.');
  terminal.type(KEYS.ctrlU);
  await prompt(terminal, 'continue', 'Continued.');
});

test.runIf(hasScript)('a rewind of the files keeps the conversation', { tags: ['long'] }, async () => {
  await using opened = await openTwo();
  const { chat, terminal } = opened;
  await rewind(terminal, 'files');
  await terminal.shows('Restored 1 path');
  expect(readText(chat)).toBe('one\n');
  expect(await chat.sessions()).toHaveLength(1);
});

test.runIf(hasScript)(
  '/diff shows the changes, /undo and /redo restore, and a foreign change is asked about',
  { tags: ['long'] },
  async () => {
    await using opened = await openTwo();
    const { chat, terminal } = opened;
    terminal.type('/diff\r');
    await terminal.shows(/a\.txt[\s\S]*zero[\s\S]*two[\s\S]*Changes/);
    expect(terminal.isFull()).toBe(true);
    terminal.type('q');
    await terminal.shows('Wrote two.');
    expect(terminal.isFull()).toBe(false);
    terminal.type('/undo\r');
    await terminal.shows('Undone: 1 path. a.txt');
    expect(readText(chat)).toBe('one\n');
    terminal.type('/redo\r');
    await terminal.shows('Redone: 1 path. a.txt');
    expect(readText(chat)).toBe('two\n');
    writeFileSync(join(chat.place.workspace, 'a.txt'), 'of the user\n');
    terminal.type('/undo\r');
    await terminal.shows('Others have changed a.txt since');
    terminal.type(KEYS.escape);
    await terminal.hides('Others have changed');
    expect(readText(chat)).toBe('of the user\n');
  },
);

test.runIf(hasScript)(
  '/fork continues in a copy, and /sessions returns to the original',
  { tags: ['long'] },
  async () => {
    await using opened = await openTwo();
    const { chat, terminal } = opened;
    const [original] = await chat.sessions();
    terminal.type('/fork\r');
    await terminal.shows(/The chat continues in session/);
    await prompt(terminal, 'continue', 'Continued.');
    const sessions = await chat.sessions();
    expect(sessions).toHaveLength(2);
    const fork = sessions.find((id) => id !== original)!;
    expect(JSON.stringify(await chat.events(fork))).toContain('Continued.');
    expect(JSON.stringify(await chat.events(original!))).not.toContain('Continued.');
    terminal.type('/sessions\r');
    await terminal.shows('Sessions:');
    terminal.type(original!);
    await terminal.until((screen) => screen.includes(`│ ${original}`), 'does not search');
    terminal.type(KEYS.enter);
    await terminal.hides('Sessions:');
    await prompt(terminal, 'return', 'Returned.');
    expect(JSON.stringify(await chat.events(original!))).toContain('Returned.');
  },
);
