import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { openBrowser } from '../test/fixtures/browser.ts';
import { KEYS, openEmulator } from '../test/fixtures/emulator.ts';
import { MAIN, startServer, toEnv } from '../test/fixtures/klaus.ts';
import { createTestHome } from '../test/fixtures/test-home.ts';
import { drawTerminal } from './terminal-picture.ts';

/** The screenshots of the terminal in the manual: `npm run screenshots`. */
const FOLDER = join(import.meta.dirname, '../docs/images');

const FILES = {
  'src/free-slots.js': 'export const freeSlots = (bookings) => merge(bookings);\n',
  'src/merge.js':
    '/** Joins bookings that overlap. */\nexport function merge(bookings) {\n  const merged = [];\n  for (const booking of bookings) {\n    const last = merged.at(-1);\n    if (last && booking.start <= last.end) last.end = booking.end;\n    else merged.push({ ...booking });\n  }\n  return merged;\n}\n',
  'check.js':
    "console.log('\\u001b[32m✓\\u001b[0m bookings that overlap are one\\n\\u001b[31m✗\\u001b[0m a short booking inside a long one\\n1 passed, 1 failed');\n",
  'README.md': '# Rooms\n',
};

const EDITS = [
  { old: 'last.end = booking.end;', new: 'last.end = Math.max(last.end, booking.end);' },
  {
    old: '/** Joins bookings that overlap. */',
    new: '/** Joins bookings that overlap. A short one inside a long one changes nothing. */',
  },
];

const SCRIPT: Script = {
  steps: [
    {
      when: { turn: 0 },
      reply: {
        thinking: 'The end of the last booking may be smaller.',
        text: 'I read the code first.\n\n- `merge` sets the end of the **last** booking\n- a short booking inside a long one makes it *shorter*\n',
        calls: [
          { name: 'read_file', input: { path: 'src/merge.js' } },
          { name: 'run_command', input: { command: 'node check.js' } },
          {
            name: 'todo_write',
            input: {
              todos: [
                { text: 'find the cause', status: 'done' },
                { text: 'fix merge', status: 'in_progress' },
                { text: 'run the tests', status: 'pending' },
              ],
            },
          },
        ],
      },
    },
    { when: { turn: 1 }, reply: { calls: [{ name: 'edit_file', input: { path: 'src/merge.js', edits: EDITS } }] } },
    { when: { after: 'edit_file' }, reply: { text: 'Fixed: the end is now the larger of the two.' } },
  ],
};

mkdirSync(FOLDER, { recursive: true });
using place = createTestHome(FILES);
await using server = await startServer(SCRIPT);
const { KLAUS_SANDBOX: _, ...rest } = toEnv({ place, server });
const env = { ...rest, COLORTERM: 'truecolor' };
const command = [process.execPath, MAIN, 'chat', 'klaus', '--approve', 'edits', '--new'];
await using emulator = await openEmulator(command, { env, cwd: place.workspace, columns: 92, rows: 40 });
await using browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1_000, height: 1_000 }, deviceScaleFactor: 2 });
const draw = async (name: string): Promise<void> => {
  await drawTerminal(page, emulator.terminal, join(FOLDER, `${name}.png`));
  console.log(`docs/images/${name}.png`);
};
await emulator.shows('mode edits');
emulator.type('A short booking inside a long one frees the room. Find out why and fix it.\r');
await emulator.shows(/Alt-Y approve/);
emulator.type('\u001by');
await emulator.shows('larger of the two');
await emulator.hides('Esc cancels');
await draw('terminal');
emulator.type(KEYS.escape);
await emulator.shows('Esc again');
emulator.type(KEYS.escape);
await emulator.shows('Rewind to before');
await draw('terminal-rewind');
