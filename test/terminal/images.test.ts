// Covers apps/terminal/images, apps/terminal/screen: sixel images in the interactive terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import xterm from '@xterm/headless';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import type { Emulator } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { type ChatPlace, openChatPlace, untilIdle } from './open-chat.ts';

const CELL = { width: 8, height: 16 };
const ROWS = 24;
/** The control string of an image. */
const SIXEL = /\u001bP0;1;0q"1;1;(\d+);(\d+)[^\u001b]*\u001b\\/g;

const open = (): Promise<ChatPlace> =>
  openChatPlace({ script: { steps: [], fallback: { text: 'The answer.' } }, words: ['--approve', 'ask'], rows: ROWS });

function writePng(chat: ChatPlace, name: string, { width, height }: { width: number; height: number }): string {
  const png = new PNG({ width, height });
  png.data.forEach((_, index) => (png.data[index] = index % 4 === 3 ? 255 : (index * 31) % 256));
  const path = join(chat.place.workspace, name);
  writeFileSync(path, PNG.sync.write(png));
  return path;
}

/** Sends a prompt with an image, and waits for the answer. */
async function send(terminal: Emulator, path: string, text: string): Promise<void> {
  const count = (): number => terminal.all().split('The answer.').length;
  const before = count();
  terminal.paste(path);
  await terminal.shows(`› [image 1: ${basename(path)}]`);
  terminal.type(`${text}\r`);
  await terminal.until(() => count() > before, 'does not answer');
  await untilIdle(terminal);
}

/** Resolves once the emulator has interpreted what it has received. */
const parsed = (terminal: Emulator): Promise<void> => new Promise((resolve) => terminal.terminal.write('', resolve));

const asked = (terminal: Emulator, times: number): Promise<string> =>
  terminal.until(() => terminal.output.split('\u001b[16t').length > times, 'does not ask for the size of a cell');

/** Where terminals leave the cursor: at the first row of the image, its last one, the one below, and its right end. */
const MOVES: readonly ((rows: number) => string)[] = [
  () => '',
  (rows) => '\n'.repeat(rows - 1),
  (rows) => '\n'.repeat(rows),
  (rows) => `\r${'\n'.repeat(rows)}`,
  () => '\u001b[70C',
];

/** All rows after an output in which each image is replaced by moves. @param toMoves Gets the rows of an image. */
async function replay(output: string, toMoves: (rows: number) => string): Promise<string[]> {
  const moved = output.replaceAll(SIXEL, (_, _width, height) => toMoves(Math.ceil(Number(height) / CELL.height)));
  const terminal = new xterm.Terminal({ cols: 80, rows: ROWS, allowProposedApi: true, scrollback: 1_000 });
  await new Promise<void>((resolve) => terminal.write(moved, resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)!.translateToString(true));
}

test.runIf(hasScript)('an image is drawn once in rows of its own, wherever a terminal leaves the cursor', async () => {
  await using chat = await open();
  const terminal = await chat.open({ sixelCell: CELL });
  await asked(terminal, 1);
  const drawn: { row: number; column: number }[] = [];
  /** Rows of the screen from the first one of each image on. */
  const left: number[] = [];
  terminal.terminal.parser.registerDcsHandler({ final: 'q' }, () => {
    const { baseY, cursorY, cursorX } = terminal.terminal.buffer.active;
    drawn.push({ row: baseY + cursorY, column: cursorX });
    left.push(ROWS - cursorY);
    return true;
  });
  for (const [index, size] of [
    { width: 100, height: 30 },
    { width: 10, height: 5 },
    // It reaches the end of the screen.
    { width: 1_600, height: 800 },
  ].entries()) {
    await send(terminal, writePng(chat, `picture-${index}.png`, size), `prompt ${index}`);
    // It is a line until it is drawn.
    await terminal.until(() => drawn.length > index, 'does not draw');
  }
  await parsed(terminal);
  const images = [...terminal.output.matchAll(SIXEL)].map(([, width, height]) => [Number(width), Number(height)]);
  expect(images).toEqual([
    [100, 30],
    [10, 5],
    [480, 240],
  ]);
  const lines = terminal.all().split('\n');
  for (const [index, rows] of [2, 1, 15].entries()) {
    const prompt = lines.findIndex((line) => line.endsWith(`] prompt ${index}`));
    expect(drawn[index]).toEqual({ row: prompt + 1, column: 2 });
    expect(left[index]).toBeGreaterThan(rows);
    const under = lines.slice(prompt + 1);
    // The first prompt has a note about the budget below its image.
    const isNoted = index === 0;
    expect(under.findIndex((line) => line !== '')).toBe(isNoted ? rows : rows + 1);
    expect(under[isNoted ? rows : rows + 1]).toContain(isNoted ? 'No budget' : 'The answer.');
  }
  expect(terminal.all()).not.toContain('[Image: ');
  for (const toMoves of MOVES) {
    const rows = await replay(terminal.output, toMoves);
    expect(rows.slice(0, lines.length)).toEqual(lines);
  }
});

test.runIf(hasScript)(
  'what cannot be drawn is a line: a damaged file, and any image without sixel or the size of a cell',
  async () => {
    await using chat = await open();
    const damaged = join(chat.place.workspace, 'damaged.png');
    const path = writePng(chat, 'picture.png', { width: 100, height: 30 });
    writeFileSync(damaged, readFileSync(path).subarray(0, 60));
    const terminal = await chat.open({ sixelCell: CELL });
    await send(terminal, damaged, 'damaged');
    expect(terminal.screen()).toContain('[Image: [image/png]');
    const others = [
      await chat.open({ words: ['--new'] }),
      await chat.open({ words: ['--new'], sixelCell: { width: 0, height: 0 } }),
    ];
    for (const other of others) {
      await send(other, path, 'plain');
      expect(other.screen()).toContain('[Image: [image/png] 100x30]');
    }
    for (const { output } of [terminal, ...others]) expect(output).not.toMatch(SIXEL);
  },
);

test.runIf(hasScript)(
  'an image after a change of the size has the new size of a cell and of the screen',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const cell = { ...CELL };
    const terminal = await chat.open({ sixelCell: cell });
    await asked(terminal, 1);
    Object.assign(cell, { width: 4, height: 8 });
    terminal.resize(42, 12);
    await asked(terminal, 2);
    await send(terminal, writePng(chat, 'wide.png', { width: 1_600, height: 800 }), 'wide');
    await send(terminal, writePng(chat, 'high.png', { width: 800, height: 1_600 }), 'high');
    await terminal.until(() => terminal.output.match(SIXEL)?.length === 2, 'does not draw');
    const images = [...terminal.output.matchAll(SIXEL)].map(([, width, height]) => [Number(width), Number(height)]);
    // 40 columns; 11 rows, in bands of six pixels.
    expect(images).toEqual([
      [160, 80],
      [42, 84],
    ]);
  },
);
