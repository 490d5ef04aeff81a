// Covers apps/terminal/dialogs: approvals that are edited, postponed or answered elsewhere, plans and the todo list in the interactive terminal.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { answerQuestion, type ChatPlace, focusQuestion, openChatPlace, toStable, untilIdle } from './open-chat.ts';
import { FILES, STORY, SUM } from './story-script.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** An editor that replaces words in the file. */
function createEditor({ place }: ChatPlace, expression: string): Record<string, string> {
  const file = join(place.workspace, '..', 'editor');
  writeFileSync(file, `#!/bin/sh\nexec sed -i '${expression}' "$1"\n`);
  chmodSync(file, 0o755);
  return { EDITOR: file, VISUAL: '' };
}

const readSum = ({ place }: ChatPlace): string => readFileSync(join(place.workspace, 'sum.js'), 'utf8');

test.runIf(hasScript)('a hunk is edited in $EDITOR, and the rest is accepted', async () => {
  await using chat = await openChatPlace({ script: STORY, files: FILES });
  const terminal = await chat.open({ env: createEditor(chat, 's/a + b/b + a/') });
  terminal.type('fix\r');
  await answerQuestion(terminal, 'h');
  await terminal.shows('Hunk 1 of 2');
  terminal.type('e');
  await terminal.shows('Hunk 2 of 2');
  terminal.type('a');
  await terminal.shows('Fixed: it adds now.');
  await untilIdle(terminal);
  expect(readSum(chat)).toBe(SUM.replace('a - b', 'b + a').replace('zero = 1', 'zero = 0'));
});

test.runIf(hasScript)('a rejection has a reason for the model, and changes nothing', { tags: ['long'] }, async () => {
  await using chat = await openChatPlace({ script: STORY, files: FILES });
  const terminal = await chat.open({ columns: 40 });
  terminal.type('fix\r');
  await answerQuestion(terminal, 'n');
  // The question is readable in a narrow terminal too.
  await terminal.shows(/What should it do instead\?[\s\S]*Enter alone gives\s+no reason/);
  terminal.type('use a loop');
  await terminal.shows(/> use a loop/);
  terminal.type(KEYS.enter);
  await terminal.shows('Fixed: it adds now.');
  await untilIdle(terminal);
  expect(readSum(chat)).toBe(SUM);
  const events = await chat.events();
  expect(events.find(({ type }) => type === 'approval.answered')).toMatchObject({
    answer: 'rejected',
    note: 'use a loop',
  });
  expect(chat.server.requests.at(-1)!.body).toContain('use a loop');
});

test.runIf(hasScript)(
  'a question that another process answers is closed, and the run continues',
  { tags: ['long'] },
  async () => {
    await using chat = await openChatPlace({ script: STORY, files: FILES });
    const terminal = await chat.open();
    terminal.type('fix\r');
    await terminal.shows(/ Tab answers /);
    const asked = (await chat.events()).find((event) => event.type === 'approval.asked')!;
    const other = await chat.run('approve', asked.approval);
    expect(other.code).toBe(0);
    await terminal.shows('Fixed: it adds now.');
    await untilIdle(terminal);
    expect(readSum(chat)).toContain('a + b');
    const events = await chat.events();
    expect(events.filter(({ type }) => type === 'approval.answered')).toHaveLength(1);
    expect(terminal.all().split('Fixed: it adds now.')).toHaveLength(2);
  },
);

test.runIf(hasScript)('a postponed question stays open, over a new start too', { tags: ['long'] }, async () => {
  await using chat = await openChatPlace({ script: STORY, files: FILES });
  const first = await chat.open();
  first.type('fix\r');
  await answerQuestion(first, 'q');
  await first.shows('The question stays open');
  await first.hides(/ y (?:approve|yes) /);
  first.type('\u001ba');
  await first.shows(/ y (?:approve|yes) /);
  first.type('q');
  await first.hides(/ y (?:approve|yes) /);
  first.type(KEYS.ctrlD);
  expect(await first.ended).toBe(0);
  expect(readSum(chat)).toBe(SUM);
  const second = await chat.open();
  await answerQuestion(second, 'y');
  await second.shows('Fixed: it adds now.');
  await untilIdle(second);
  expect(readSum(chat)).toContain('a + b');
});

const PLAN: Script = {
  steps: [
    {
      when: { user: 'plan', turn: 0 },
      reply: { calls: [{ name: 'present_plan', input: { plan: '# Sums\n\n1. Write a.txt\n2. Test it\n' } }] },
    },
    {
      when: { after: 'present_plan' },
      reply: {
        calls: [
          {
            name: 'todo_write',
            input: {
              todos: [
                { text: 'Write a.txt', status: 'in_progress' },
                { text: 'Test it', status: 'pending' },
              ],
            },
          },
        ],
      },
    },
    {
      when: { after: 'todo_write', turn: 2 },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] },
    },
    {
      when: { after: 'write_file' },
      reply: { calls: [{ name: 'run_command', input: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
    },
  ],
  fallback: { text: 'The plan is done.' },
};

for (const { cases, tags } of splitCases([40, 80, 200], 1))
  test.runIf(hasScript).each(cases)(
    'a plan is edited and accepted, and its list is shown, in %i columns',
    { tags },
    async (columns) => {
      await using chat = await openChatPlace({ script: PLAN, columns });
      const terminal = await chat.open({
        words: ['--approve', 'plan'],
        env: createEditor(chat, 's/Test it/Test it twice/'),
      });
      terminal.type('plan it\r');
      const screens: Record<string, string> = {
        plan: await focusQuestion(terminal),
      };
      terminal.type('e');
      screens['edited'] = await terminal.shows(/Plan, edited[\s\S]*Test it twice[\s\S]*Esc input[\s\S]*mode plan/);
      expect(existsSync(join(chat.place.workspace, 'a.txt'))).toBe(false);
      terminal.type('k');
      await terminal.shows('mode ask');
      await answerQuestion(terminal, 'y');
      await terminal.shows(/\? .*until/);
      await focusQuestion(terminal);
      screens['list'] = await terminal.shows(/0 of 2 done[\s\S]*Esc input[\s\S]*mode ask/);
      writeFileSync(join(chat.place.workspace, 'go'), '');
      terminal.type('y');
      await terminal.shows('The plan is done.');
      await untilIdle(terminal);
      expect(readFileSync(join(chat.place.workspace, 'a.txt'), 'utf8')).toBe('a\n');
      expect(chat.server.requests.at(-1)!.body).toContain('Test it twice');
      const events = await chat.events();
      for (const [name, screen] of Object.entries(screens))
        await expect(`${toStable(screen, events)}\n`).toMatchFileSnapshot(`screens/${name}-${columns}.txt`);
    },
  );

test.runIf(hasScript)(
  'a long hunk is read to its end, and content that is not shown needs its own answer',
  { tags: ['long'] },
  async () => {
    const text = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`).join('');
    const patch = `*** Begin Patch\n*** Add File: long.txt\n${text.replace(/^/gm, '+').slice(0, -1)}*** End Patch`;
    const script: Script = {
      steps: [
        { when: { user: 'long', turn: 0 }, reply: { calls: [{ name: 'apply_patch', input: { patch } }] } },
        {
          when: { user: 'binary', turn: 2 },
          reply: { calls: [{ name: 'write_file', input: { path: 'logo.bin', content: 'text\n' } }] },
        },
      ],
      fallback: { text: 'Finished.' },
    };
    await using chat = await openChatPlace({ script, files: { 'logo.bin': 'a\0b' } });
    const terminal = await chat.open();
    terminal.type('long\r');
    await answerQuestion(terminal, 'h');
    await terminal.shows('Hunk 1 of 1');
    for (let page = 0; page < 20; page++) terminal.type(' ');
    await terminal.shows(/\+ line 200\s/);
    terminal.type('a');
    await terminal.shows('Finished.');
    await untilIdle(terminal);
    expect(readFileSync(join(chat.place.workspace, 'long.txt'), 'utf8')).toBe(text);
    terminal.type('binary\r');
    await terminal.shows(/Content not shown: logo\.bin/);
    await answerQuestion(terminal, 'h');
    await terminal.shows(/Hunk 1 of 1[\s\S]*Content not shown: logo\.bin/);
    terminal.type('a');
    await terminal.still(100);
    terminal.type('c');
    // The hunk is still open: it was not accepted with the rest.
    await terminal.shows('Comment on this hunk');
    terminal.type('\r');
    await terminal.shows('Hunk 1 of 1');
    terminal.type('y');
    await untilIdle(terminal);
    expect(readFileSync(join(chat.place.workspace, 'logo.bin'), 'utf8')).toBe('text\n');
  },
);

test.runIf(hasScript)('a rejected hunk and its comment stay in the conversation, at the changed line', async () => {
  await using chat = await openChatPlace({ script: STORY, files: FILES });
  const terminal = await chat.open();
  terminal.type('fix\r');
  await answerQuestion(terminal, 'h');
  await terminal.shows('Hunk 1 of 2');
  terminal.type('y');
  await terminal.shows('Hunk 2 of 2');
  terminal.type('c');
  await terminal.shows('Comment on this hunk');
  terminal.type('zero stays\r');
  await terminal.shows('sum.js:22: zero stays');
  terminal.type('n');
  await terminal.shows('Fixed: it adds now.');
  await untilIdle(terminal);
  expect(terminal.all()).toMatch(/approved 1 of 2 hunks[^]*✗ rejected sum\.js:22\n[^]*“sum\.js:22: zero stays”/);
});
