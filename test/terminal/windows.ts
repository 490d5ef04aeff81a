import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import xterm from '@xterm/headless';
import type { Terminal } from '../../apps/terminal/screen/index.ts';

/** A terminal without a program: what is written to it appears in its window. */
export interface Window extends AsyncDisposable {
  readonly terminal: Terminal;
  resize(columns: number, rows: number): Promise<void>;
  /** Changes the window alone: until the next `resize`, the program knows the size before, as before a signal. */
  resizeUnseen(columns: number, rows: number): Promise<void>;
  /** Everything that was written and not erased, with the scrollback. Wrapped rows are joined. */
  read(): Promise<string>;
  /** The rows of the window. */
  readVisible(): Promise<string[]>;
  /** Position in the window, from 0. */
  readCursor(): Promise<{ column: number; row: number }>;
}

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** The terminal of VS Code. */
export function openXterm(columns: number, rows: number): Promise<Window> {
  return openEmulator(columns, rows, {});
}

/** A terminal that cuts the rows of a window that becomes narrower. */
export function openCutting(columns: number, rows: number): Promise<Window> {
  return openEmulator(columns, rows, { windowsPty: { backend: 'winpty', buildNumber: 1 } });
}

async function openEmulator(columns: number, rows: number, options: xterm.ITerminalOptions): Promise<Window> {
  const emulator = new xterm.Terminal({
    ...{ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 },
    ...options,
  });
  const write = (data: string): void => emulator.write(data);
  let size = { columns, rows };
  const resizeUnseen = async (toColumns: number, toRows: number): Promise<void> => {
    await new Promise<void>((resolve) => emulator.write('', resolve));
    emulator.resize(toColumns, toRows);
  };
  return {
    terminal: toTerminal(write, () => size),
    resizeUnseen,
    async resize(toColumns, toRows) {
      await resizeUnseen(toColumns, toRows);
      size = { columns: toColumns, rows: toRows };
    },
    async read() {
      await new Promise<void>((resolve) => emulator.write('', resolve));
      const { active } = emulator.buffer;
      const rowsOf = Array.from({ length: active.length }, (_, row) => active.getLine(row)!);
      return rowsOf
        .map((line, index) => `${line.isWrapped || index === 0 ? '' : '\n'}${line.translateToString(true)}`)
        .join('')
        .trimEnd();
    },
    async readVisible() {
      await new Promise<void>((resolve) => emulator.write('', resolve));
      const { active } = emulator.buffer;
      return Array.from({ length: emulator.rows }, (_, row) =>
        active.getLine(active.baseY + row)!.translateToString(true),
      );
    },
    async readCursor() {
      await new Promise<void>((resolve) => emulator.write('', resolve));
      const { cursorX, cursorY } = emulator.buffer.active;
      return { column: cursorX, row: cursorY };
    },
    async [Symbol.asyncDispose]() {
      emulator.dispose();
    },
  };
}

/** A window of tmux. */
export async function openTmux(columns: number, rows: number): Promise<Window> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-tmux-'));
  const input = join(folder, 'input');
  const socket = join(folder, 'tmux');
  const tmux = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('tmux', ['-f', '/dev/null', '-S', socket, ...words])).stdout;
  appendFileSync(input, '');
  const program = `stty raw -echo; exec tail -c +1 -f ${input}`;
  execFileSync('tmux', [
    ...['-f', '/dev/null', '-S', socket, 'new-session', '-d', '-x', String(columns), '-y', String(rows), program],
    ...[';', 'set-option', '-g', 'status', 'off', ';', 'set-hook', '-g', 'pane-title-changed', 'wait-for -S title'],
  ]);
  let size = { columns, rows };
  let marks = 0;
  // A title arrives after everything that was written before it.
  const arrive = async (): Promise<void> => {
    appendFileSync(input, `\u001b]2;mark-${++marks}\u0007`);
    await tmux('wait-for', 'title');
  };
  const resizeUnseen = async (toColumns: number, toRows: number): Promise<void> => {
    await arrive();
    await tmux('resize-window', '-x', String(toColumns), '-y', String(toRows));
  };
  return {
    terminal: toTerminal(
      (data) => appendFileSync(input, data),
      () => size,
    ),
    resizeUnseen,
    async resize(toColumns, toRows) {
      await resizeUnseen(toColumns, toRows);
      size = { columns: toColumns, rows: toRows };
    },
    async read() {
      await arrive();
      return (await tmux('capture-pane', '-p', '-J', '-S', '-')).replaceAll(/ +$/gm, '').trimEnd();
    },
    async readVisible() {
      await arrive();
      return (await tmux('capture-pane', '-p')).split('\n').map((row) => row.trimEnd());
    },
    async readCursor() {
      await arrive();
      const [column, row] = (await tmux('display-message', '-p', '#{cursor_x} #{cursor_y}')).split(' ').map(Number);
      return { column: column!, row: row! };
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toTerminal(write: (data: string) => void, size: () => { columns: number; rows: number }): Terminal {
  const none = (): void => {};
  return {
    ...{ start: none, stop: none, write, drainInput: async () => {}, kittyProtocolActive: false },
    ...{ moveBy: none, hideCursor: none, showCursor: none, clearLine: none, clearFromCursor: none },
    ...{ clearScreen: none, setTitle: none, setProgress: none },
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
  };
}
