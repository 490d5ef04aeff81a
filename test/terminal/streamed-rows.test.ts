// Covers apps/terminal/view: an answer that is written while it is streamed looks like one that is complete.
import { expect, test } from 'vitest';
import { InlineScreen } from '../../apps/terminal/screen/index.ts';
import { addLive, createSessionView } from '../../apps/terminal/session/session-view.ts';
import { Transcript } from '../../apps/terminal/view/transcript.ts';
import { createViewStyle } from '../../apps/terminal/view/view-style.ts';
import { openXterm } from './windows.ts';

const COLUMNS = 60;
const ROWS = 24;
const WORDS = Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ');
const CODE = Array.from({ length: 40 }, (_, index) => `const value${index} = "${index}"; // ${'x'.repeat(index)}`);

const ANSWER = [
  `## A title\n${WORDS}`,
  `A text above code:\n\`\`\`ts\n${CODE.join('\n')}\n\n/* a comment\n\nof several lines */\n\`\`\``,
  `1. One ${WORDS}\n   - nested\n   - lists\n     - in lists ${WORDS}\n2. Two\n   \`\`\`sh\n   npm install\n   npm test\n   \`\`\``,
  `3. After a blank line\n\n   A paragraph of an item ${WORDS}`,
  `4. Four`,
  `> A quote ${WORDS}\n>\n> ${WORDS}`,
  `| a | b |\n|---|---|\n${Array.from({ length: 20 }, (_, index) => `| row ${index} | ${index} |`).join('\n')}`,
  `\`\`\`\n${CODE[0]}\n`,
].join('\n\n');

test.each([13, 400])('in pieces of %i characters', async (size) => {
  await using complete = await openChat();
  complete.finish(ANSWER);
  await using streamed = await openChat();
  for (let at = 0; at < ANSWER.length; at += size) streamed.send(ANSWER.slice(at, at + size), at);
  streamed.finish(ANSWER);
  expect(await streamed.window.read()).toEqual(await complete.window.read());
});

test('lines of code are in the scrollback before the end of the block', async () => {
  await using chat = await openChat();
  chat.send(`\`\`\`ts\n${CODE.join('\n')}`, 0);
  const shown = await chat.window.read();
  for (const line of CODE.slice(0, -1)) expect(shown).toContain(line.slice(0, 24));
});

test('at least three rows of a table are shown', async () => {
  await using chat = await openChat();
  const footer = ['', '⠋ Writing', '', '> ', ' mode ask'];
  chat.screen.addChild({ render: () => footer, invalidate: () => {} });
  chat.send(ANSWER.slice(0, ANSWER.indexOf('| row 19')), 0);
  const rows = (await chat.window.readVisible()).filter((row) => /^ {2}(?:│ row|├|└)/.test(row));
  expect(rows.length).toBeGreaterThanOrEqual(3);
});

test('a reply that is begun again says so, once', async () => {
  await using chat = await openChat();
  chat.send(WORDS, 0);
  addLive(chat.view, { type: 'message.discarded', session: 'session', message: 'm' });
  chat.screen.renderNow();
  chat.send('Again. ', 0, 'n');
  chat.finish('Again. Done.', 'n');
  const rows = (await chat.window.read()).split('\n');
  expect(rows.filter((row) => row.includes('interrupted'))).toHaveLength(1);
  expect(rows.findIndex((row) => row.includes('interrupted'))).toBeLessThan(rows.indexOf('● Again. Done.'));
});

/** A window with a conversation and nothing below it. */
async function openChat() {
  const window = await openXterm(COLUMNS, ROWS);
  const screen = new InlineScreen(window.terminal, { reflows: 'all', settleMs: 0 });
  const view = createSessionView('session');
  const style = createViewStyle('dark');
  await style.highlighter.load();
  screen.addChild(new Transcript(screen, { style, now: () => 0, view }));
  screen.start();
  return {
    window,
    screen,
    view,
    send(text: string, offset: number, message = 'm'): void {
      addLive(view, { type: 'message.delta', session: 'session', message, part: 'text', offset, text });
      screen.renderNow();
    },
    finish(text: string, id = 'm'): void {
      view.inFlight.messages.clear();
      view.conversation.entries.push({ kind: 'model', id, seq: 1, at: 0, turn: 1, text, thinking: '' });
      screen.renderNow();
    },
    async [Symbol.asyncDispose]() {
      screen.stop();
      await window[Symbol.asyncDispose]();
    },
  };
}
