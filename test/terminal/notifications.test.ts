// Covers apps/terminal/commands, apps/terminal/composer, apps/terminal/app: /notify, and the completion of the words of an argument.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Script } from '@klaus/adapters/models';
import { createKlaus } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type Emulator, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { answerQuestion, focusQuestion, openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    { when: { after: 'write_file' }, reply: { text: 'Hello.' } },
    { when: { user: 'write' }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } },
  ],
  fallback: { text: 'Hello.' },
};

/** The terminal is not in front any more. */
const FOCUS_OUT = '\u001b[O';
const FOCUS_IN = '\u001b[I';

/** Checks the notifications that the terminal gets when a question is asked while it is not in front. */
async function expectAsk(terminal: Emulator, expected: readonly string[]): Promise<void> {
  const got: string[] = [];
  const listeners = [
    terminal.terminal.onBell(() => void got.push('bell')),
    terminal.terminal.parser.registerOscHandler(777, () => got.push('desktop') > 0),
  ];
  terminal.type(`${FOCUS_OUT}write${KEYS.enter}`);
  await focusQuestion(terminal);
  await expect.poll(() => got, { timeout: 30_000 }).toEqual(expected);
  terminal.type('n');
  await terminal.hides(/ y (?:approve|yes) /);
  terminal.type(KEYS.enter);
  await untilIdle(terminal);
  expect(got).toEqual(expected);
  for (const listener of listeners) listener.dispose();
}

test.runIf(hasScript)('/notify chooses between a desktop notification, the bell and nothing', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const stored = (): unknown =>
    (JSON.parse(readFileSync(join(chat.place.home, 'terminal.json'), 'utf8')) as { notify: unknown }).notify;
  const terminal = await chat.open();
  await expectAsk(terminal, ['bell', 'desktop']);
  terminal.type(`/notify bell${KEYS.enter}`);
  await terminal.shows(/^✓ /m);
  expect(stored()).toBe('bell');
  await expectAsk(terminal, ['bell']);
  terminal.type(`/notify off${KEYS.enter}`);
  await terminal.until((screen) => screen.split('\n').filter((row) => row.startsWith('✓ ')).length === 2, 'is not set');
  expect(stored()).toBe('off');
  await expectAsk(terminal, []);
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  // The next start has it, and the list begins there.
  const second = await chat.open({ words: ['--new'] });
  second.type(`/notify${KEYS.enter}`);
  await second.shows(/^│ › off/m);
  second.type(`${KEYS.up}${KEYS.enter}`);
  await second.shows(/^✓ /m);
  expect(stored()).toBe('bell');
});

/** Counts the desktop notifications that a terminal gets. */
function countNotifications({ terminal }: Emulator): () => number {
  let count = 0;
  terminal.parser.registerOscHandler(777, () => ++count > 0);
  return () => count;
}

test.runIf(hasScript)(
  'of two terminals with one session one notifies, and none while one is in front',
  { tags: ['long'] },
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const first = await chat.open();
    first.type(`hello${KEYS.enter}`);
    await first.shows('Hello.');
    await untilIdle(first);
    const second = await chat.open();
    const counts = [countNotifications(first), countNotifications(second)];
    const total = () => counts.reduce((sum, count) => sum + count(), 0);
    using database = new DatabaseSync(join(chat.place.home, 'klaus.db'), { readOnly: true });
    const claims = database.prepare('SELECT count(*) AS n FROM notification_claims');
    for (const terminal of [first, second]) terminal.type(FOCUS_OUT);
    first.type(`write${KEYS.enter}`);
    await first.shows('Tab answers');
    await focusQuestion(second);
    await expect.poll(total, { timeout: 30_000 }).toBe(1);
    expect(claims.get()).toEqual({ n: 1 });
    second.type('n');
    await second.hides('Esc input');
    second.type(KEYS.enter);
    await first.hides('Tab answers');
    await untilIdle(second);

    first.type(FOCUS_IN);
    second.type(`write again${KEYS.enter}`);
    await first.shows('Tab answers');
    await focusQuestion(second);
    await expect.poll(() => claims.get(), { timeout: 30_000 }).toEqual({ n: 2 });
    // Both have decided when both have answered keys.
    second.type('n');
    await second.hides('Esc input');
    expect(total()).toBe(1);
  },
);

test.runIf(hasScript)(
  'the status line reports what other sessions need; /next and /attention open them',
  { tags: ['long'] },
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const waiting = await chat.run('--approve', 'ask', '--on-ask', 'wait', 'write');
    expect(waiting).toMatchObject({ code: 8 });
    const terminal = await chat.open({ words: ['--new', '--approve', 'ask'] });
    await terminal.shows('1 session needs you · /next');
    terminal.type(`/attention${KEYS.enter}`);
    await terminal.shows('Needs you:');
    terminal.type(KEYS.escape);
    await terminal.hides('Needs you:');
    terminal.type(`/next${KEYS.enter}`);
    await terminal.shows('Tab answers');
    await terminal.hides(/\d sessions? needs? you/);
    await answerQuestion(terminal, 'y');
    await terminal.shows('Hello.');
    await untilIdle(terminal);
    terminal.type(`/next${KEYS.enter}`);
    await terminal.shows('Nothing needs you.');
  },
);

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

test.runIf(hasScript)(
  'the status line reports that the guard of Claude Code is off, until it was seen',
  { tags: ['long'] },
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const terminal = await chat.open();
    await using klaus = await createKlaus({ home: chat.place.home, cwd: chat.place.workspace, env: chat.place.env });
    const of = '/home/user/.claude/settings.json';
    const change = { type: 'guard.changed' as const, workspace: '/home/user/.claude', of, place: 'user' as const };
    await klaus.recordGuard({ ...change, state: 'off', reason: 'the settings do not exist' });
    await terminal.shows('klaus attention');
    // What is new after the first list is also reported by a notification.
    let bells = 0;
    terminal.terminal.onBell(() => void (bells += 1));
    terminal.type(FOCUS_OUT);
    const { place: _, ...session } = { ...change, of: 'a session' };
    await klaus.recordGuard({ ...session, state: 'missed', reason: 'it ran without hooks' });
    await expect.poll(() => bells, { timeout: 30_000 }).toBe(1);
    for (const each of [change, session]) await klaus.recordGuard({ ...each, state: 'dismissed', reason: 'seen' });
    await terminal.hides('klaus attention');
  },
);
