// Covers apps/terminal/composer, apps/terminal/screen: history, completion, pastes, the user's editor and other sizes in the interactive terminal.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** As many paragraphs, each with a number by which it is found. */
const PARAGRAPHS = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} with 漢字かな and e\u0301.`);

const SCRIPT: Script = {
  steps: [{ when: { user: 'stream' }, reply: { text: `${PARAGRAPHS.join('\n\n')}\n\nThe end.` }, chunk: 20, pace: 10 }],
  fallback: { text: 'Hello.' },
};

const FILES = { 'src/first.ts': '', 'src/second.ts': '', 'README.md': '' };

const open = () => openChatPlace({ script: SCRIPT, files: FILES, words: ['--approve', 'ask', '--budget-tokens', '0'] });

test.runIf(hasScript)('Ctrl-R finds an earlier prompt of the project, also after a new start', async () => {
  await using chat = await open();
  const first = await chat.open();
  for (const prompt of ['look at the apples', 'look at the pears']) {
    first.type(`${prompt}\r`);
    await first.shows(`› ${prompt}`);
    await untilIdle(first);
  }
  first.type(KEYS.ctrlD);
  expect(await first.ended).toBe(0);
  const second = await chat.open({ words: ['--new'] });
  second.type(KEYS.ctrlR);
  await second.shows(/› look at the pears\n│ {3}look at the apples/);
  second.type('app');
  await second.shows(/ app\n│ › look at the apples\n╰/);
  second.type(KEYS.enter);
  await second.hides('Prompts of this project');
  expect(second.screen()).toMatch(/^› look at the apples\s*$/m);
  second.type(KEYS.ctrlU);
  await second.hides('› look at the apples');
  second.type(KEYS.up);
  await second.shows(/^› look at the pears\s*$/m);
});

test.runIf(hasScript)('Enter sends a prompt that is typed while the terminal starts', async () => {
  await using chat = await open();
  const launcher = ['sh', '-c', 'echo begun; read -r first; exec "$@"', 'sh'];
  const terminal = await chat.open({ launcher, isReady: false });
  await terminal.shows('begun');
  // The terminal collects both lines before Klaus reads single keys.
  terminal.type('\rtyped early\r');
  await terminal.shows('Hello.');
  await untilIdle(terminal);
  const { body } = chat.server.requests.find((request) => request.body.includes('typed early'))!;
  expect(body).not.toContain(String.raw`typed early\n`);
});

test.runIf(hasScript)('@ completes names of files, and / commands', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type('see @sec');
  await terminal.shows(/@sec[\s\S]*src\/second\.ts/);
  terminal.type(KEYS.tab);
  await terminal.shows(/^› see @src\/second\.ts\s*$/m);
  terminal.type(KEYS.enter);
  await terminal.shows('Hello.');
  await untilIdle(terminal);
  terminal.type('/hel');
  await terminal.shows(/\/help\s+list commands and keys/);
  terminal.type(KEYS.tab);
  await terminal.shows(/^› \/help\s*$/m);
  terminal.type(KEYS.enter);
  await terminal.shows('Help · ');
  terminal.type('q');
  await terminal.shows('Hello.');
  const [prompt] = chat.server.requests;
  expect(prompt!.body).toContain('see @src/second.ts');
});

test.runIf(hasScript)(
  'a paste of 20,000 lines is one mark in the input, and arrives completely',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const terminal = await chat.open();
    const text = Array.from({ length: 20_000 }, (_, index) => `pasted line ${index}`).join('\n');
    terminal.paste(text);
    await terminal.shows('[paste #1 +20000 lines]');
    terminal.type(' is a log\r');
    await terminal.shows('Hello.');
    await untilIdle(terminal);
    expect(terminal.all()).not.toContain('pasted line 100');
    const added = (await chat.events()).find((event) => event.type === 'message.added')!;
    const { parts } = added.message;
    expect(parts.map(({ type }) => type)).toEqual(['text', 'file']);
    expect(parts[0]).toMatchObject({ text: '[paste #1 +20000 lines] is a log' });
    expect(JSON.stringify(parts[1])).toContain('pasted line 19999');
  },
);

test.runIf(hasScript)('the mark of a paste counts no line after its last line feed', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  const pasted = Array.from({ length: 100 }, (_, index) => `row ${index}\n`).join('');
  terminal.type('before ');
  terminal.paste(pasted);
  await terminal.shows('› before [paste #1 +100 lines]');
  terminal.type(' after\r');
  await terminal.shows('Hello.');
  const added = (await chat.events()).find((event) => event.type === 'message.added')!;
  expect(added.message.parts).toEqual([{ type: 'text', text: `before ${pasted} after` }]);
});

test.runIf(hasScript)('a long text that the terminal does not mark as a paste is one', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type(Array.from({ length: 100 }, (_, index) => `row ${index}`).join('\n'));
  await terminal.shows('› [paste #1 +100 lines]');
  terminal.type(' is a log\r');
  await terminal.shows('Hello.');
  const added = (await chat.events()).find((event) => event.type === 'message.added')!;
  expect(JSON.stringify(added.message.parts)).toContain('row 99');
});

test.runIf(hasScript)('a paste that arrives with Ctrl-G is not read as keys', { tags: ['long'] }, async () => {
  await using chat = await open();
  const terminal = await chat.open({ env: { EDITOR: 'true', VISUAL: '' } });
  const lines = Array.from({ length: 20_000 }, (_, index) => `row ${index}`);
  terminal.type('a prompt');
  await terminal.shows('› a prompt');
  terminal.type(`${KEYS.ctrlG}\u001b[200~${lines.join('\n')}\u001b[201~`);
  await terminal.hides('› a prompt');
  await terminal.shows('› a prompt');
  terminal.type(' that is sent\r');
  await terminal.shows('Hello.');
  const added = (await chat.events()).find((event) => event.type === 'message.added')!;
  expect(added.message.parts).toEqual([{ type: 'text', text: 'a prompt that is sent' }]);
});

test.runIf(hasScript)('Ctrl-O before the first prompt shows nothing', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type(KEYS.ctrlO);
  await terminal.shows('The conversation is empty');
  terminal.type('hello\r');
  expect(await terminal.shows('Hello.')).toContain('› hello');
});

test.runIf(hasScript)('Ctrl-G edits the prompt in $EDITOR, during a run too', { tags: ['long'] }, async () => {
  await using chat = await open();
  const editor = join(chat.place.workspace, '..', 'editor');
  writeFileSync(editor, '#!/bin/sh\necho "and more" >> "$1"\n');
  chmodSync(editor, 0o755);
  const terminal = await chat.open({ env: { EDITOR: editor, VISUAL: '' } });
  terminal.type('stream it\r');
  await terminal.shows('Paragraph 1 ');
  terminal.type('a prompt');
  await terminal.shows('› a prompt');
  terminal.type(KEYS.ctrlG);
  await terminal.shows(/› a prompt\n? *and more/);
  // What is written is still shown, without a key.
  await terminal.shows('The end.');
  await terminal.hides('Esc cancels');
  expect(await chat.sessions()).toHaveLength(1);
});

for (const { cases, tags } of splitCases(
  [
    [80, 40],
    [40, 200],
    [200, 80],
  ],
  1,
))
  test.runIf(hasScript).each(cases)(
    'an answer that is streamed survives a change from %i to %i columns',
    { tags },
    async (from, to) => {
      await using chat = await open();
      const terminal = await chat.open({ columns: from });
      terminal.type('stream it\r');
      await terminal.shows('Paragraph 5 ');
      terminal.resize(to, 30);
      await terminal.shows('Paragraph 12 ');
      terminal.resize(from, 30);
      await terminal.shows('The end.');
      await untilIdle(terminal);
      // A frame of the former width can arrive after the change, and leave rows in the scrollback; never on the screen.
      const screen = terminal.screen();
      const shown = [...screen.matchAll(/Paragraph (\d+) with/g)].map(([, number]) => Number(number));
      expect(shown.length).toBeGreaterThan(5);
      expect(shown).toEqual(PARAGRAPHS.map((_, index) => index).slice(-shown.length));
      expect(screen.match(/^── claude.* · mode ask/gm)).toHaveLength(1);
      expect(screen.match(/^› *$/gm)).toHaveLength(1);
    },
  );

test.runIf(hasScript)('lines that arrive together are one paste, also without marks, and send nothing', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`);
  terminal.type(lines.join('\r'));
  await terminal.shows(/\[paste #1 \+300 lines\]/);
  terminal.type(' and more');
  await terminal.shows(/lines\] and more/);
  terminal.type(KEYS.enter);
  await terminal.shows('Hello.');
  await untilIdle(terminal);
  const prompts = (await chat.events()).flatMap((event) =>
    event.type === 'message.added' && event.message.role === 'user' ? [event.message.parts] : [],
  );
  expect(prompts).toEqual([[expect.objectContaining({ text: expect.stringContaining('line 299') })]]);
});

test.runIf(hasScript)('the cursor is at the end of a recalled prompt', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type('look here\r');
  await terminal.shows('Hello.');
  await untilIdle(terminal);
  terminal.type(KEYS.up);
  await terminal.shows(/^› look here\s*$(?![^]*● )/m);
  terminal.type(' again');
  expect(await terminal.shows('again')).toMatch(/^› look here again\s*$/m);
});
