// Covers apps/terminal/app, apps/terminal/dialogs, apps/terminal/view: complete outputs in the interactive terminal.
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace } from './open-chat.ts';

test.runIf(hasScript)('a long output has its number of lines, and Ctrl-O shows all of them', async () => {
  await using chat = await openChatPlace({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'run_command', input: { command: 'seq -f "row %.0f" 1 3000' } }] },
        },
      ],
      fallback: { text: 'The command is done.' },
    },
    words: ['--approve', 'auto'],
  });
  const terminal = await chat.open();
  terminal.type('count\r');
  await terminal.shows('The command is done.');
  await terminal.shows('more lines of 3,000, Ctrl-O shows them');
  terminal.type(KEYS.ctrlO);
  await terminal.shows('q closes');
  // The row is not in the part that the model got.
  for (const key of '/row 2000\r') terminal.type(key);
  await terminal.shows('row 2001');
  for (const key of 'g/row 1700\r') terminal.type(key);
  await terminal.shows('row 1701');
  await terminal.hides('row 2001');
  terminal.type('q');
  await terminal.hides('q closes');
  expect(JSON.stringify(await chat.events())).not.toContain('row 2000');
});
