// Covers apps/terminal/screen, apps/terminal/view: a window that changes its size while an answer is streamed keeps each line once, in tmux.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN, startServer, toEnv } from '../fixtures/klaus.ts';
import { hasTmux } from '../fixtures/terminal.ts';
import { splitCases } from '../fixtures/split-cases.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { createChance } from '../undo/chance.ts';

const COUNT = 60;
const NAMES = Array.from({ length: COUNT }, (_, index) => `P${String(index).padStart(3, '0')}`);
const TEXT = NAMES.map((name) => `${name} is a paragraph whose line is longer than the narrow window of this test.`);
const WIDTHS = [80, 60, 120, 40, 70, 100];
/** Milliseconds between two sizes, as a person drags a window. */
const RESIZE_MS = 300;

/** A long paragraph of numbered words, and how many of them are streamed: `STREAMS=20 STREAM_SEED=7`. */
const WORDS = Array.from({ length: 800 }, (_, index) => `w${String(index).padStart(4, '0')}`);
const STREAMS = Number(process.env['STREAMS'] ?? 4);
const SEED = Number(process.env['STREAM_SEED'] ?? 1);

test.runIf(hasTmux)('each paragraph is in the scrollback once', { timeout: 120_000 }, async () => {
  await using chat = await openTmuxChat({ text: TEXT.join('\n\n'), chunk: 40, pace: 20 });
  await chat.until(async () => (await chat.read()).includes('P003'));
  for (const width of WIDTHS) {
    await chat.resize(width, 30);
    await pause(RESIZE_MS);
  }
  await chat.until(async () => isDone(await chat.read(), 'P059'));
  expect((await chat.read()).match(/P\d{3}/g)).toEqual(NAMES);
});

/** True once the last word is shown, and nothing runs. */
const isDone = (screen: string, last: string): boolean => screen.includes(last) && !screen.includes('Esc cancels');

/** The line above the input. */
const STATUS = /^── .*\bmode \w+/m;

const SEEDS = Array.from({ length: STREAMS }, (_, index) => SEED + index);

for (const { cases, tags } of splitCases(SEEDS, 1))
  test.runIf(hasTmux).each(cases)(
    'a paragraph that is higher than the window is there once, STREAM_SEED=%i',
    { timeout: 120_000, tags },
    async (seed) => {
      const chance = createChance(seed);
      const draft = `draft ${seed}`;
      await using chat = await openTmuxChat({ text: `${WORDS.join(' ')}.`, chunk: 40, pace: 15 });
      await chat.until(async () => (await chat.read()).includes('w0001'));
      await chat.type(draft);
      // Faster than the sizes of which tmux informs the program, with pauses in which it draws.
      while (!isDone(await chat.read(), WORDS.at(-1)!)) {
        await chat.resize(20 + chance.number(120), 10 + chance.number(33));
        await pause(chance.pick([0, 30, 100, 500]));
      }
      await chat.resize(100, 30);
      await chat.until(async () => STATUS.test(await chat.read()) && (await chat.readRow()) === `› ${draft}`);
      const shown = await chat.read();
      expect(shown.match(/w\d{4}/g)).toEqual(WORDS);
      for (const once of [new RegExp(STATUS, 'gm'), new RegExp(draft, 'g')]) expect(shown.match(once)).toHaveLength(1);
    },
  );

/** A chat in tmux whose model answers the first prompt, which is sent. */
async function openTmuxChat({ text, ...stream }: { text: string; chunk: number; pace: number }) {
  const place = createTestHome();
  const server = await startServer({ steps: [{ reply: { text }, ...stream }] });
  const socket = `klaus-test-${randomUUID()}`;
  const tmux = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('tmux', ['-L', socket, '-f', '/dev/null', ...words])).stdout;
  const until = async (holds: () => Promise<boolean>): Promise<void> =>
    await expect.poll(holds, { timeout: 60_000 }).toBe(true);
  const env = Object.entries({ ...toEnv({ place, server }), TERM: 'tmux-256color' }).flatMap((pair) => [
    '-e',
    pair.join('='),
  ]);
  const read = (): Promise<string> => tmux('capture-pane', '-p', '-J', '-S', '-5000');
  await tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', place.workspace, ...env, 'exec cat');
  await tmux('set-option', '-g', 'history-limit', '5000');
  await tmux('respawn-window', '-k', process.execPath, MAIN, 'chat', 'klaus');
  await until(async () => (await read()).includes('mode '));
  await tmux('send-keys', '-l', 'go');
  await until(async () => (await read()).includes('› go'));
  await tmux('send-keys', 'Enter');
  return {
    /** The scrollback and the window. Wrapped rows are joined. */
    read,
    until,
    type: (keys: string) => tmux('send-keys', '-l', keys),
    resize: (columns: number, rows: number) => tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    /** The row of the cursor up to it. */
    async readRow(): Promise<string> {
      const [column, row] = (await tmux('display-message', '-p', '#{cursor_x} #{cursor_y}')).split(' ').map(Number);
      return (await tmux('capture-pane', '-p')).split('\n')[row!]!.slice(0, column);
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {});
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
