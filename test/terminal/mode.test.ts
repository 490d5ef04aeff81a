// Covers apps/terminal/session, apps/terminal/footer, apps/cli/chat, sdk/config/start-mode.ts: the approval mode belongs to the user, not to a session.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Event, EventOf } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { answerQuestion, type ChatPlace, openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    { when: { after: 'present_plan' }, reply: { text: 'The plan is accepted.' } },
    { when: { user: 'plan$' }, reply: { calls: [{ name: 'present_plan', input: { plan: '# One step' } }] } },
  ],
  fallback: { text: 'A sentence.' },
};

const open = (): Promise<ChatPlace> => openChatPlace({ script: SCRIPT, words: [] });

const opened = (events: readonly Event[]): EventOf<'session.opened'> =>
  events.find((event) => event.type === 'session.opened')!;

test.runIf(hasScript)('/new, a second terminal and a restart begin with the chosen mode', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  await terminal.shows(/^── .*mode auto/m);
  terminal.type('/mode ask\r');
  await terminal.shows(/^── .*mode ask/m);
  terminal.type('hello\r');
  await terminal.shows('A sentence.');
  await untilIdle(terminal);
  terminal.type('/new\r');
  await terminal.shows('The next prompt starts a new session.');
  await terminal.shows(/^── .*mode ask/m);
  terminal.type('again\r');
  await terminal.shows(/A sentence\.[^]*A sentence\./);
  await untilIdle(terminal);
  const ids = await chat.sessions();
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(opened(await chat.events(id)).mode).toBe('ask');

  const second = await chat.open({ words: ['--new'] });
  expect(second.screen()).toContain('mode ask');
  for (const each of [terminal, second]) {
    each.type(KEYS.ctrlD);
    expect(await each.ended).toBe(0);
  }
  const later = await chat.open({ words: ['--new'] });
  expect(later.screen()).toContain('mode ask');
});

test.runIf(hasScript)('Shift-Tab chooses too, and an accepted plan changes its session only', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type(KEYS.shiftTab);
  await terminal.shows(/^── .*mode plan/m);
  terminal.type('plan\r');
  await terminal.shows('One step');
  await answerQuestion(terminal, 'y');
  await terminal.shows('The plan is accepted.');
  await terminal.shows(/^── .*mode edits/m);
  await untilIdle(terminal);
  // The choice is older than the session, which continues in its mode.
  const second = await chat.open({ command: [] });
  expect(second.screen()).toContain('mode edits');
  terminal.type('/new\r');
  await terminal.shows('The next prompt starts a new session.');
  expect(terminal.screen()).toContain('mode plan');
});

test.runIf(hasScript)(
  'an option applies to its own start, and `klaus run` chooses nothing',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    expect(await chat.run('run', '--approve', 'plan', 'hello')).toMatchObject({ code: 0 });
    const terminal = await chat.open({ words: ['--new'] });
    await terminal.shows(/^── .*mode auto/m);
    terminal.type('/mode ask\r');
    await terminal.shows(/^── .*mode ask/m);
    const given = await chat.open({ words: ['--new', '--approve', 'edits'] });
    expect(given.screen()).toContain('mode edits');
    const variable = await chat.open({ words: ['--new'], env: { KLAUS_APPROVE: 'auto' } });
    expect(variable.screen()).toContain('mode auto');
    const plain = await chat.open({ words: ['--new'] });
    expect(plain.screen()).toContain('mode ask');
    // A prompt at a terminal has the mode of the user, because it can ask.
    const prompt = await chat.open({ command: ['hello', 'there'], isReady: false });
    expect(await prompt.ended).toBe(0);
    expect(opened(await chat.events()).mode).toBe('ask');
    // A script has the mode of the settings.
    expect(await chat.run('run', 'hello')).toMatchObject({ code: 0 });
    expect(opened(await chat.events()).mode).toBe('auto');
  },
);

test.runIf(hasScript)(
  'a session of another folder continues in a narrower mode that was chosen later',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const other = join(chat.place.workspace, '../other');
    mkdirSync(other);
    const before = await chat.open({ cwd: other });
    before.type('hello\r');
    await before.shows('A sentence.');
    await untilIdle(before);
    before.type(KEYS.ctrlD);
    expect(await before.ended).toBe(0);
    const terminal = await chat.open();
    terminal.type('/mode ask\r');
    await terminal.shows(/^── .*mode ask/m);
    const after = await chat.open({ command: [], cwd: other });
    expect(await after.shows(/^── .*mode ask/m)).toContain('A sentence.');
  },
);

test.runIf(hasScript)('the mode is complete in a narrow window, and in a status line without it', async () => {
  await using chat = await open();
  const terminal = await chat.open({ columns: 46 });
  terminal.type('/status session folder model\r');
  await terminal.shows(/choose what\s+the status line shows/);
  await terminal.shows(/^── .*mode auto ─*$/m);
  terminal.type('hello\r');
  await terminal.shows('A sentence.');
  await untilIdle(terminal);
  await terminal.shows(/^── .*mode auto ─*$/m);
  terminal.type('/mode ask\r');
  expect(await terminal.shows(/^── .*mode ask/m)).toMatch(/^── .*mode ask ─*$/m);
});
