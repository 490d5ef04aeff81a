import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/fixtures/browser.ts';
import { type Emulator, KEYS, openEmulator } from '../test/fixtures/emulator.ts';
import { MAIN, startServer, toEnv } from '../test/fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import { untilIdle } from '../test/terminal/open-chat.ts';
import { toPalettePng } from './palette-png.ts';
import { type PictureTheme, shootTerminal } from './terminal-picture.ts';

/** Ten moments of the terminal, in both themes: `node scripts/terminal-moments.ts`. */
const FOLDER = join(import.meta.dirname, '../docs/images/moments');

interface Look extends PictureTheme {
  name: string;
  columns: number;
  rows: number;
  /** The value of `COLORFGBG`, which names the background. */
  ground: string;
}

const LOOKS: readonly Look[] = [
  {
    name: '120-dark',
    ...{ columns: 120, rows: 40, ground: '15;0', foreground: '#e6edf3', background: '#0d1117' },
    basic: [
      ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
      ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
    ],
  },
  {
    name: '80-light',
    ...{ columns: 80, rows: 24, ground: '0;15', foreground: '#1f2328', background: '#ffffff' },
    basic: [
      ...['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
      ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
    ],
  },
];

const MERGE = `/** Joins bookings that overlap. */
export function merge(bookings) {
  const sorted = bookings.toSorted((one, two) => one.start - two.start);
  const merged = [];
  for (const booking of sorted) {
    const last = merged.at(-1);
    if (last && booking.start <= last.end) last.end = booking.end;
    else merged.push({ ...booking });
  }
  return merged;
}

/** Times between bookings in which a room is free. */
export function toGaps(merged) {
  const gaps = [];
  for (let index = 1; index < merged.length; index++) {
    gaps.push({ start: merged[index - 1].end, end: merged[index].start });
  }
  return gaps;
}

/** True if a gap is long enough for a meeting. */
export const isLong = (gap) => gap.end - gap.start > 30;
`;

const EDITS = [
  { old: 'last.end = booking.end;', new: 'last.end = Math.max(last.end, booking.end);' },
  {
    old: '/** True if a gap is long enough for a meeting. */\nexport const isLong = (gap) => gap.end - gap.start > 30;',
    new: '/** True if a gap has at least the 30 minutes of a meeting. */\nexport const isLong = (gap) => gap.end - gap.start >= 30;',
  },
];

const PLAN = `# Free rooms for each day

1. Add \`src/by-day.js\` with \`byDay(bookings)\`: it splits bookings at midnight and groups them by date.
2. Use \`freeSlots\` for each group, so that both lists follow the same rules.
3. Print one line for each day in \`src/cli.js\`, such as \`Mon 4 May  09:00-10:30  13:00-17:00\`.
4. Test a booking over midnight, a day without bookings and a full day.

**Not changed:** the format of the stored bookings.
`;

const ANSWER = `## How bookings are merged

\`merge\` sorts the bookings and compares each one with the last of the result. There are **three cases**:

| Case | Condition | Result |
|---|---|---|
| apart | \`start > last.end\` | a new entry |
| overlapping | \`start <= last.end\` | the last one becomes longer |
| inside | \`end <= last.end\` | nothing changes |

For example, the meeting at 10:00 lies inside the workshop:

\`\`\`js
const merged = merge([
  { start: 540, end: 720 }, // workshop
  { start: 600, end: 630 }, // meeting
]);
console.log(merged.length); // 1
\`\`\`

Two things to know:

- Times are *minutes of the day*, so a booking over midnight needs two entries.
- The input is not changed; see \`src/merge.js\`.
`;

const READ = { name: 'read_file', input: { path: 'src/merge.js' } };

const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'short booking', after: 'read_file' },
      reply: {
        text: 'The end of the last booking is replaced, also by a smaller one.',
        calls: [{ name: 'edit_file', input: { path: 'src/merge.js', edits: EDITS } }],
      },
    },
    {
      when: { user: 'tests', after: 'read_file' },
      delay: 600_000,
      reply: { text: 'Late.' },
    },
    { when: { user: 'short booking' }, reply: { text: 'I read the code first.', calls: [READ] } },
    {
      when: { user: 'tests' },
      reply: { text: 'I read `merge` first, so that the tests follow its rules.', calls: [READ] },
    },
    { when: { user: 'list' }, reply: { calls: [{ name: 'present_plan', input: { plan: PLAN } }] } },
    { when: { user: 'rules' }, reply: { text: ANSWER } },
    {
      when: { user: 'Rename' },
      reply: { text: 'Renamed.' },
      faults: [{ kind: 'status', status: 401, message: 'invalid x-api-key', always: true }],
    },
  ],
  fallback: { text: 'Hello.' },
};

const FILES = {
  '~/rooms/src/merge.js': MERGE,
  '~/rooms/README.md': '# Rooms\n\nFinds free rooms.\n',
  // A budget was mentioned before.
  '~/.klaus/terminal.json': '{ "knowsBudget": true }\n',
};

/** The terminal in a place of its own. */
interface Opened {
  open: (words?: readonly string[]) => Promise<Emulator>;
  shoot: (emulator: Emulator, name: string) => Promise<void>;
}

const NEW = ['chat', 'klaus', '--new'];

const MOMENTS: readonly (({ open, shoot }: Opened) => Promise<void>)[] = [
  async ({ open, shoot }) => {
    await using emulator = await open(NEW);
    await emulator.shows('mode auto');
    await shoot(emulator, 'start');
    emulator.type('/');
    await emulator.shows('/sessions');
    await shoot(emulator, 'commands');
  },
  async ({ open, shoot }) => {
    await using emulator = await open(NEW);
    await emulator.shows('mode auto');
    emulator.type('Explain the rules of merge with a table and an example.\r');
    await emulator.shows('The input is not changed');
    await untilIdle(emulator);
    await shoot(emulator, 'answer');
  },
  async ({ open, shoot }) => {
    await using emulator = await open([...NEW, '--approve', 'ask']);
    await emulator.shows('mode ask');
    emulator.type('A short booking inside a long one frees the room. Find out why and fix it.\r');
    await emulator.shows(/Tab answers/);
    await shoot(emulator, 'question');
    emulator.type(KEYS.tab);
    await emulator.shows(/Esc input/);
    emulator.type('h');
    await emulator.shows('Hunk 1 of 2');
    await shoot(emulator, 'hunks');
  },
  async ({ open, shoot }) => {
    await using emulator = await open([...NEW, '--approve', 'plan']);
    await emulator.shows('mode plan');
    emulator.type('Plan a list of free rooms for each day.\r');
    await emulator.shows(/Not changed[\s\S]*Tab answers/);
    await shoot(emulator, 'plan');
  },
  async ({ open, shoot }) => {
    await using emulator = await open(NEW);
    await emulator.shows('mode auto');
    emulator.type('Rename merge to joinBookings.\r');
    await emulator.shows('stores another one');
    await untilIdle(emulator);
    await shoot(emulator, 'error');
  },
  async ({ open, shoot }) => {
    {
      await using emulator = await open(NEW);
      await emulator.shows('mode auto');
      emulator.type('Write tests for merge.\r');
      await emulator.shows(/Read file[\s\S]*Waiting for the model/);
      emulator.type('Use node:test, without a library.');
      await emulator.shows('› Use node:test');
      emulator.type(KEYS.altEnter);
      await emulator.shows('queued: Use node:test');
      await shoot(emulator, 'queue');
      process.kill(emulator.pid, 'SIGKILL');
      await emulator.ended;
    }
    await using again = await open([]);
    await again.shows('was interrupted');
    await again.shows('Enter sends them');
    await shoot(again, 'killed');
  },
];

async function shootLook(page: Page, look: Look): Promise<void> {
  const shoot = async ({ terminal }: Emulator, name: string): Promise<void> => {
    const png = toPalettePng(await shootTerminal(page, terminal, look));
    writeFileSync(join(FOLDER, `${name}-${look.name}.png`), png);
    console.log(`docs/images/moments/${name}-${look.name}.png, ${png.length} bytes`);
  };
  const open = (place: TestHome, env: Record<string, string>, words: readonly string[]): Promise<Emulator> => {
    const { KLAUS_SANDBOX: _, ...given } = env;
    const rest = { ...given, COLORTERM: 'truecolor', COLORFGBG: look.ground };
    const cwd = join(place.env['HOME']!, 'rooms');
    const { columns, rows } = look;
    return openEmulator([process.execPath, MAIN, ...words], { env: rest, cwd, columns, rows });
  };
  for (const moment of MOMENTS) {
    using place = createPlace();
    await using server = await startServer(SCRIPT);
    await moment({ open: (words = []) => open(place, toEnv({ place, server }), words), shoot });
  }
  using place = createPlace();
  const { AGENT_MODEL: _, ...env } = toEnv({ place });
  await using emulator = await open(place, env, []);
  await emulator.shows('How should it reach one?');
  await shoot(emulator, 'setup');
}

/** A home folder with a repository in it, which has a short name. */
function createPlace(): TestHome {
  const place = createTestHome(FILES);
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: join(place.env['HOME']!, 'rooms'), env: place.env });
  return place;
}

mkdirSync(FOLDER, { recursive: true });
await using browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1_200, height: 1_000 } });
for (const look of LOOKS) await shootLook(page, look);
