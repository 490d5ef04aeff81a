// Covers apps/cli/prompt, apps/cli/program, apps/cli/output: ACCESSIBLE selects the chat line by line and --plain.
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    { when: { after: 'write_file' }, reply: { text: 'Written.' } },
    { reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } },
  ],
};

/** Signs, frames and animations, which a screen reader cannot read. */
const SIGNS = /[✓✗!·●○›│⠀-⣿]/u;

test.runIf(hasScript)('a chat with ACCESSIBLE is lines of words', async () => {
  await using chat = await openChatPlace({ script: SCRIPT, env: { ACCESSIBLE: '1' }, isReady: false });
  const terminal = await chat.open();
  await terminal.shows(/^klaus>/m);
  terminal.type(`write it${KEYS.enter}`);
  await terminal.shows(/\[Tab .*\]/s);
  terminal.type(KEYS.tab);
  await terminal.shows(/\[y .*\]/s);
  terminal.type('y');
  await terminal.shows('Written.');
  await terminal.shows(/^klaus>\s*$/m);
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  expect(terminal.all()).not.toMatch(SIGNS);
  // No line is erased, and the full screen is not used.
  expect(terminal.output).not.toMatch(/\u001b\[(?:2K|\?1049h|\?25l)/);
});

test('a command that has --plain behaves as with it', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const { place, server } = chat;
  const run = (words: string[], env = {}) =>
    runKlaus(['--approve', 'auto', ...words, 'write it'], { place, server, env });
  const usual = await run([]);
  expect(usual.stderr).toMatch(SIGNS);
  for (const shown of [await run(['--plain']), await run([], { ACCESSIBLE: 'true' })]) {
    expect(shown).toMatchObject({ code: 0, stdout: usual.stdout });
    expect(shown.stderr).not.toMatch(SIGNS);
  }
  expect((await run([], { ACCESSIBLE: '0' })).stderr).toMatch(SIGNS);
});
