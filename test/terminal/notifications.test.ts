// Covers apps/terminal/commands, apps/terminal/composer, apps/terminal/app: /notify, and the completion of the words of an argument.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { type Emulator, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    { when: { after: 'write_file' }, reply: { text: 'Hello.' } },
    { when: { user: 'write' }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } },
  ],
  fallback: { text: 'Hello.' },
};

/** The terminal is not in front any more. */
const FOCUS_OUT = '\u001b[O';

/** The notifications that the terminal gets when a question is asked while it is not in front. */
async function ask(terminal: Emulator): Promise<string[]> {
  const got: string[] = [];
  const listeners = [
    terminal.terminal.onBell(() => void got.push('bell')),
    terminal.terminal.parser.registerOscHandler(777, () => got.push('desktop') > 0),
  ];
  terminal.type(`${FOCUS_OUT}write${KEYS.enter}`);
  await terminal.shows('y approve');
  terminal.type('n');
  await terminal.hides('y approve');
  terminal.type(KEYS.enter);
  await untilIdle(terminal);
  for (const listener of listeners) listener.dispose();
  return got;
}

test.runIf(hasScript)('/notify chooses between a desktop notification, the bell and nothing', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const stored = (): unknown =>
    (JSON.parse(readFileSync(join(chat.place.home, 'terminal.json'), 'utf8')) as { notify: unknown }).notify;
  const terminal = await chat.open();
  expect(await ask(terminal)).toEqual(['bell', 'desktop']);
  terminal.type(`/notify bell${KEYS.enter}`);
  await terminal.shows(/^✓ /m);
  expect(stored()).toBe('bell');
  expect(await ask(terminal)).toEqual(['bell']);
  terminal.type(`/notify off${KEYS.enter}`);
  await terminal.until((screen) => screen.split('\n').filter((row) => row.startsWith('✓ ')).length === 2, 'is not set');
  expect(stored()).toBe('off');
  expect(await ask(terminal)).toEqual([]);
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  // The next start has it, and the list begins there.
  const second = await chat.open({ words: ['--new'] });
  second.type(`/notify${KEYS.enter}`);
  await second.shows(/^› off/m);
  second.type(`${KEYS.up}${KEYS.enter}`);
  await second.shows(/^✓ /m);
  expect(stored()).toBe('bell');
});

test.runIf(hasScript)('Tab and Enter complete the words of an argument', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const terminal = await chat.open();
  terminal.type('/notify ');
  await terminal.shows(/^› \/notify\s*$/m);
  terminal.type(KEYS.tab);
  await terminal.shows(/→ desktop\n +bell\n +off/);
  terminal.type('b');
  await terminal.hides('desktop');
  terminal.type(KEYS.tab);
  await terminal.shows(/^› \/notify bell\s*$/m);
  terminal.type(`${KEYS.ctrlU}/keys v`);
  await terminal.shows('→ vi');
  terminal.type(KEYS.enter);
  expect(await terminal.shows(/^✓ /m)).toMatch(/^✓ .*\bvi\b/m);
});
