// Covers apps/terminal/app, apps/terminal/dialogs, apps/terminal/screen: what is typed or pasted at any moment answers no question.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Script } from '@klaus/adapters/models';
import { createKlaus } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type Emulator, KEYS } from '../fixtures/emulator.ts';
import { toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createChance, type Chance } from '../undo/chance.ts';
import { type ChatPlace, openChatPlace } from './open-chat.ts';

/** Number of sessions, the first seed, and the longest pause in milliseconds: `npm run test:typing` is the complete test. */
const SESSIONS = Number(process.env['TYPING_SESSIONS'] ?? 9);
const SEED = Number(process.env['TYPING_SEED'] ?? 1);
const MAX_PAUSE = Number(process.env['TYPING_PAUSE'] ?? 500);
/** Sessions of one program. */
const OF_ONE_PROGRAM = Number(process.env['TYPING_GROUP'] ?? 3);

/** One question of each kind, and the words with which the terminal is opened for it. */
const KINDS = [
  { kind: 'call', call: { name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }, words: ['--approve', 'ask'] },
  { kind: 'call', call: { name: 'run_command', input: { command: 'touch a.txt' } }, words: ['--approve', 'ask'] },
  {
    kind: 'plan',
    call: { name: 'present_plan', input: { plan: '# Plan\n\n1. a.txt\n' } },
    words: ['--approve', 'plan'],
  },
  { kind: 'limit', call: { name: 'list_files', input: {} }, words: ['--approve', 'auto', '--max-turns', '1'] },
] as const;

const SENTENCES = [
  'please say why you do it, and maybe yes yes',
  'no, always the same. Approve nothing so quickly, query the parser, and have a look at x and k',
  'yes',
  'n',
  'yyyynnnnsssspppphhhhaaaaqqqqeeeekkkkvvvv',
];
/** Texts with line breaks and tabs, as a terminal without marks sends them. */
const PASTES = ['one\ryes\r\tno\ry\r', 'y\r\ny\r\nall of it\r\n', '\ty\rs\r', 'a,b\tc\ts\tp\ty\r\r\ry'];
const MARKS = ['\u001b[200~', '\u001b[201~'] as const;

const groups = Array.from({ length: Math.ceil(SESSIONS / OF_ONE_PROGRAM) }, (_, group) => ({
  ...KINDS[group % KINDS.length]!,
  from: SEED + group * OF_ONE_PROGRAM,
  to: Math.min(SEED + SESSIONS, SEED + (group + 1) * OF_ONE_PROGRAM),
}));

test.runIf(hasScript).concurrent.each(groups)(
  'no key answers a question: $kind, the sessions from seed $from',
  { timeout: 3_600_000 },
  async ({ call, words, kind, from, to }) => {
    const script: Script = {
      steps: [{ when: { turn: 0 }, reply: { calls: [call] }, pace: 20 }],
      fallback: { text: '.' },
    };
    await using chat = await openChatPlace({ script, words });
    const terminal = await chat.open();
    for (let seed = from; seed < to; seed++) {
      const chance = createChance(seed);
      if (seed > from) {
        // A second Ctrl-C within a second would leave.
        await terminal.hides('Ctrl-C again leaves');
        terminal.type(KEYS.ctrlC);
        await terminal.until((screen) => /^› *$/m.test(screen), 'is not empty');
        terminal.type('/new');
        await terminal.shows(/^› \/new/m);
        terminal.type(KEYS.enter);
        await terminal.hides(/ Tab answers /);
      }
      terminal.type(`begin ${seed}`);
      await terminal.shows(`› begin ${seed}`);
      terminal.type(KEYS.enter);
      // A sentence that arrives together with the Enter would be a paste.
      await terminal.shows(/^› *$/m);
      await type(terminal, chance, 1 + chance.number(12));
      await terminal.shows(/ Tab answers /);
      await type(terminal, chance, 6 + chance.number(12));
      await terminal.shows(/ Tab answers /);
    }
    const answers = await readApprovals(chat);
    expect(answers).toEqual(Array.from({ length: to - from }, () => ({ kinds: [kind], answered: 0 })));
    expect(existsSync(join(chat.place.workspace, 'a.txt'))).toBe(false);
  },
);

/** Types and pastes, with pauses. */
async function type(terminal: Emulator, chance: Chance, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const kind = chance.number(20);
    if (kind === 0) terminal.type(chance.pick(PASTES));
    else if (kind === 1) terminal.type(`${MARKS[0]}${chance.pick(PASTES)}${MARKS[1]}`);
    else if (kind === 2) terminal.type(chance.pick([KEYS.enter, KEYS.backspace, '\u001b[C', '\u001b[D', ' ']));
    else if (kind < 8) terminal.type(chance.pick(SENTENCES));
    else for (const key of chance.pick(SENTENCES)) await typeKey(terminal, key, chance);
    await pause(toPause(chance));
  }
}

async function typeKey(terminal: Emulator, key: string, chance: Chance): Promise<void> {
  terminal.type(key);
  await pause(chance.number(12));
}

/** Mostly short pauses; one of 40 is anything up to the longest. */
function toPause(chance: Chance): number {
  return chance.number(40) === 0 ? chance.number(MAX_PAUSE) : chance.number(Math.min(MAX_PAUSE, 120));
}

/** What was asked in each session, and how many questions were answered. */
async function readApprovals({ place, server }: ChatPlace): Promise<{ kinds: string[]; answered: number }[]> {
  await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
  const read = async (id: string) => {
    const events = await Array.fromAsync((await klaus.session(id)).events());
    const asked = events.flatMap((event) => (event.type === 'approval.asked' ? [event.subject.kind] : []));
    return { kinds: asked, answered: events.filter(({ type: name }) => name === 'approval.answered').length };
  };
  return await Promise.all((await klaus.sessions({ limit: SESSIONS })).map(({ id }) => read(id)));
}
