import { expect } from 'vitest';
import { CLEAN, type Emulator, KEYS } from '../fixtures/emulator.ts';
import type { Step } from './random-keys.ts';

/** Exit codes of a terminal that its user leaves. A Ctrl-C that is typed after it has left is a signal. */
const LEFT = [0, 130];
const COLUMNS = 120;
const ROWS = 30;

/** Milliseconds after which the screen is read again, although it has not changed. */
const AGAIN_MS = 250;

/** Characters of a long paste, and the milliseconds in which the screen shows it. */
const LONG = 10_000;
const LONG_MS = 20_000;

const FRAME_END = '\u001b[?2026l';

/** Milliseconds without output after which all of it has arrived. */
const STILL_MS = 80;

/** Gives the steps to the program, as fast as the terminal takes them. */
export async function play(terminal: Emulator, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (terminal.hasEnded) return;
    if (step.kind === 'type') terminal.type(step.text);
    else if (step.kind === 'paste') await paste(terminal, step.text);
    else if (step.kind === 'signal') {
      signal(terminal.pid, step.signal);
      if (step.signal === 'SIGSTOP') signal(terminal.pid, 'SIGCONT');
    } else await resize(terminal, step.columns, step.rows);
  }
}

/**
 * Changes the size of the window while the program is stopped, after all of its output has been shown: a frame for the
 * old size that arrives after that is drawn at the wrong place. Resolves when the program has drawn a frame since.
 */
async function resize(terminal: Emulator, columns: number, rows: number): Promise<void> {
  const { cols, rows: before } = terminal.terminal;
  if (terminal.hasEnded || (cols === columns && before === rows)) return;
  signal(terminal.pid, 'SIGSTOP');
  await terminal.still(STILL_MS);
  const { length } = terminal.output;
  terminal.resize(columns, rows);
  signal(terminal.pid, 'SIGCONT');
  await terminal.changed(() => terminal.output.includes(FRAME_END, length), LONG_MS);
}

/** Pastes a text. A person sees a long one before the next step. */
async function paste(terminal: Emulator, text: string): Promise<void> {
  const before = terminal.screen();
  terminal.paste(text);
  if (text.length > LONG) await terminal.changed((screen) => screen !== before, LONG_MS);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Keys that close what is open and reject what is asked, by a text that the screen contains. */
const DIALOGS: readonly (readonly [at: RegExp, keys: string])[] = [
  [/What should (?:it do instead|change in the plan)/, KEYS.enter],
  [/Comment on this hunk/, KEYS.escape],
  [/(?:Enter chooses|↑ ↓ select) {2}Esc|Enter revokes one/, KEYS.escape],
  [/ q back/, 'q'],
  [/ q later/, 'n'],
  [/ Enter allow the same in this| Enter accept/, KEYS.escape],
  [/ Tab answers/, KEYS.tab],
  [/\? Waiting for your answer/, '\u001ba'],
];
/** The same, and the key that cancels a run. */
const CLOSING = [...DIALOGS, [/Esc cancels/, KEYS.escape]] as const;

/** What the screen shows while a run is active or will start by itself. */
const BUSY = /Esc cancels|in an empty input edits the last one/;

/** The end of a screen without a hint about keys: the branch, and how many other sessions need the user. */
const IDLE = / main(?: {2,}\d+ sessions? needs? you.*)?$/;

/** Number of marks so far: each of them is another one. */
let marks = 0;

/** Looks at the screen without a change after which it counts as idle, although messages are queued. */
const LOOKS = 12;

/**
 * Closes what is open, rejects what is asked, and waits until nothing runs. Then the input contains the mark, and all
 * keys that were typed have been used.
 *
 * @returns The mark, or undefined if the program has ended.
 */
export async function settle(terminal: Emulator, seed: number): Promise<string | undefined> {
  await resize(terminal, COLUMNS, ROWS);
  await terminal.still(STILL_MS);
  let acted = '';
  let mark: string | undefined;
  let looks = 0;
  for (let step = 0; step < 300; step++) {
    await changes(terminal, acted);
    if (terminal.hasEnded) return undefined;
    const screen = terminal.screen();
    looks = screen === acted ? looks + 1 : 0;
    acted = screen;
    const closing = CLOSING.find(([at]) => at.test(screen));
    if (terminal.isFull() || closing) {
      terminal.type(closing?.[1] ?? (screen.includes('/ search') ? 'q' : KEYS.escape));
      mark = undefined;
    } else if (BUSY.test(screen) && looks < LOOKS) continue;
    else if (mark !== undefined && isIdle(screen, mark)) return mark;
    else {
      // The input takes keys in order: when it shows this mark, it has used what was typed before.
      mark = `§${seed}.${++marks}§.`;
      terminal.type(KEYS.ctrlU);
      terminal.paste(mark);
      const shown = mark;
      const isOther = (now: string): boolean => terminal.isFull() || CLOSING.some(([at]) => at.test(now));
      // A dialog can have used the keys.
      await terminal.changed((now) => isIdle(now, shown) || isOther(now), AGAIN_MS * 8);
      acted = '';
    }
  }
  throw new Error(`It is not idle; the screen:\n${acted}`);
}

/** Sends a prompt and waits for its answer: what runs or waits before it is rejected, cancelled and continued. */
export async function ask(terminal: Emulator, prompt: string, answer: string): Promise<void> {
  terminal.type(`${prompt}${KEYS.enter}`);
  let acted = '';
  let looks = 0;
  for (let step = 0; step < 200; step++) {
    await changes(terminal, acted);
    const screen = terminal.screen();
    if (screen.includes(answer)) return;
    looks = screen === acted ? looks + 1 : 0;
    acted = screen;
    const closing = DIALOGS.find(([at]) => at.test(screen));
    if (closing) terminal.type(closing[1]);
    else if (looks >= LOOKS) {
      terminal.type(screen.includes('Esc cancels') ? KEYS.escape : KEYS.enter);
      looks = 0;
    }
  }
  throw new Error(`It did not show ${answer}; the screen:\n${acted}`);
}

function isIdle(screen: string, mark: string): boolean {
  return hasMark(screen, mark) && IDLE.test(screen);
}

function hasMark(screen: string, mark: string): boolean {
  return screen.replaceAll(/\s/g, '').includes(mark);
}

/** Resolves when the screen is another one, or after a moment. */
async function changes(terminal: Emulator, from: string): Promise<void> {
  await terminal.changed((screen) => screen !== from, AGAIN_MS);
}

/** The screen is the one that a complete redraw shows, and the cursor is behind the mark. */
export async function checkScreen(terminal: Emulator, mark: string): Promise<void> {
  const isGrown = (screen: string): boolean => hasMark(screen, `${mark}z`);
  expect(terminal.faults).toEqual([]);
  const before = terminal.screen();
  expect(before).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  // One input with its lines above and below, and nothing below the status line.
  const rows = before.split('\n');
  const tops = rows.flatMap((row, index) => (/^── (?:claude-\S+ · )?mode \w+/.test(row) ? [index] : []));
  const ends = rows.flatMap((row, index) => (/^──+(?: ↓ \d+ more ─)?$/.test(row) ? [index] : []));
  expect(tops, before).toHaveLength(1);
  expect(ends.at(-1), before).toBe(rows.length - 2);
  const { row, column } = terminal.cursor;
  expect(rows[row]!.slice(0, toIndex(rows[row]!, column)), before).toMatch(/\.$/);
  terminal.type(`${KEYS.ctrlL}z`);
  await terminal.until(isGrown, 'does not show a typed character');
  terminal.type(KEYS.backspace);
  await terminal.until((screen) => !isGrown(screen), 'does not erase a character');
  expect(terminal.screen()).toBe(before);
}

/** The index in a row of the character at a column. Characters of the tests' input take one or two columns. */
function toIndex(row: string, column: number): number {
  let at = 0;
  let index = 0;
  for (const { segment } of new Intl.Segmenter().segment(row)) {
    if (at >= column) break;
    at += /\p{sc=Han}|\p{sc=Hira}|\p{sc=Hangul}|\p{Emoji_Presentation}/u.test(segment) ? 2 : 1;
    index += segment.length;
  }
  return index;
}

/** Empties the input, which may have many lines. */
export async function empty(terminal: Emulator, mark: string): Promise<void> {
  terminal.type(KEYS.ctrlC);
  await terminal.until((screen) => !hasMark(screen, mark), 'is not empty');
}

/** The program has ended as one does that its user leaves. */
export async function checkEnd(terminal: Emulator): Promise<void> {
  await terminal.changed(() => terminal.hasEnded, LONG_MS);
  if (!terminal.hasEnded) throw new Error(`It has not left; the screen:\n${terminal.screen()}`);
  expect(LEFT).toContain(await terminal.ended);
  await terminal.gone;
  expect(terminal.left()).toEqual(CLEAN);
}
