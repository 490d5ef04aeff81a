// Covers apps/terminal: random keys, pastes, sizes and signals break no screen, lose no prompt and leave no process.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { Emulator } from '../fixtures/emulator.ts';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createChance } from '../undo/chance.ts';
import { ask, checkEnd, checkScreen, empty, play, settle } from './key-player.ts';
import { type ChatPlace, openChatPlace } from './open-chat.ts';
import { createSteps, describeSteps, RANDOM_SCRIPT } from './random-keys.ts';

/** Number of sequences and first seed: `KEY_SEQUENCES=1000 KEY_SEED=7`. */
const SEQUENCES = Number(process.env['KEY_SEQUENCES'] ?? 4);
const SEED = Number(process.env['KEY_SEED'] ?? 1);
/** A folder that gets the output and the error of each failed sequence at once. */
const FAILURES = process.env['KEY_FAILURES'];
/** Sequences of one place, and of one program as long as none of them leaves it. */
const OF_ONE_PLACE = 12;

const groups = Array.from({ length: Math.max(1, Math.ceil(SEQUENCES / OF_ONE_PLACE)) }, (_, group) => ({
  from: SEED + group * OF_ONE_PLACE,
  to: Math.min(SEED + SEQUENCES, SEED + (group + 1) * OF_ONE_PLACE),
}));

test.runIf(hasScript).concurrent.each(groups)(
  'the key sequences from seed $from',
  { timeout: 600_000 },
  async ({ from, to }) => {
    await using chat = await openChatPlace({
      script: RANDOM_SCRIPT,
      files: { 'a.txt': 'a\n', 'b.md': '# B\n' },
      words: ['--approve', 'ask', '--budget-tokens', '0', '--max-tool-calls', '0'],
      env: { EDITOR: 'true', VISUAL: '' },
    });
    const done: number[] = [];
    let terminal: Emulator | undefined;
    for (let seed = from; seed < to; seed++) {
      const steps = createSteps(createChance(seed));
      try {
        terminal ??= await chat.open();
        await play(terminal, steps);
        if (await finish(terminal, { seed, chat })) done.push(seed);
        else terminal = undefined;
      } catch (error) {
        if (FAILURES) {
          writeFileSync(join(FAILURES, `${seed}.raw`), terminal?.output ?? '');
          writeFileSync(join(FAILURES, `${seed}.txt`), `${inspect(error)}\n${describeSteps(steps)}\n`);
        }
        const again = `KEY_SEED=${from} KEY_SEQUENCES=${seed - from + 1}, or KEY_SEED=${seed} KEY_SEQUENCES=1`;
        throw new Error(`${again} repeats it:\n${describeSteps(steps)}`, { cause: error });
      }
    }
    if (terminal) await leave(terminal, to);
    await checkLogs(chat, done);
    expect(done).not.toEqual([]);
  },
);

/** Checks the screen and sends a prompt that must be answered. @returns False if the sequence left the program. */
async function finish(terminal: Emulator, { seed, chat }: { seed: number; chat: ChatPlace }): Promise<boolean> {
  for (;;) {
    const before = countEvents(chat);
    const mark = await settle(terminal, seed);
    if (mark === undefined) {
      await checkEnd(terminal);
      return false;
    }
    try {
      await checkScreen(terminal, mark);
    } catch (error) {
      // A run has begun or ended in between.
      if (countEvents(chat) !== before) continue;
      throw error;
    }
    await empty(terminal, mark);
    break;
  }
  await ask(terminal, `done ${seed}`, `Finished ${seed}.`);
  return true;
}

/** Leaves the program, also while a queued message runs or asks. */
async function leave(terminal: Emulator, seed: number): Promise<void> {
  const mark = await settle(terminal, seed);
  if (mark !== undefined) {
    await empty(terminal, mark);
    terminal.type(KEYS.ctrlD);
  }
  await checkEnd(terminal);
}

function countEvents({ place }: ChatPlace): number {
  using database = new DatabaseSync(join(place.home, 'klaus.db'), { readOnly: true });
  return Number(database.prepare('SELECT count(*) AS count FROM events').get()!['count']);
}

/** Every prompt is in a log, and the logs are complete. */
async function checkLogs(chat: ChatPlace, seeds: readonly number[]): Promise<void> {
  const found = new Set<string>();
  for (const session of await chat.sessions()) {
    for (const event of await chat.events(session)) {
      if (event.type !== 'message.added' || event.message.role !== 'user') continue;
      for (const part of event.message.parts) if (part.type === 'text') found.add(part.text);
    }
  }
  expect([...found]).toEqual(expect.arrayContaining(seeds.map((seed) => `done ${seed}`)));
  expect((await chat.run('audit', 'verify')).code).toBe(0);
}
