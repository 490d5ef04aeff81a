import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import xterm from '@xterm/headless';
import { quoteShellWord } from '../../core/protocol/quote-shell-word.ts';
import { HUNG_MS } from '../program.ts';

const COLUMNS = 100;
const ROWS = 30;

/** A control sequence that erases the complete screen or the scrollback. */
const CLEAR = /\u001b\[[23]J/g;

export interface PtyOptions {
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Words before the command that enter a process group; see `openProcessGroup`. */
  enter?: readonly string[];
  /** Milliseconds after which it is given up. */
  hungMs?: number;
}

/** A program in a pseudo-terminal that answers its questions as a real terminal does. */
export interface Pty extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from the start of the program until the screen contains the text. @throws Error if it ends or hangs. */
  shows(text: RegExp): Promise<number>;
  type(text: string): void;
  /** Control sequences in its output that erase everything. */
  readonly clears: number;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
}

/** The first line comes right before the program starts, so that neither `script` nor the shell counts. */
const START = `stty cols ${COLUMNS} rows ${ROWS}; echo $$; exec "$@"`;

/** Starts a program in a terminal. Needs `script` of util-linux. */
export async function openPty(command: readonly string[], options: PtyOptions): Promise<Pty> {
  const words = ['/bin/sh', '-c', START, 'sh', ...(options.enter ?? []), ...command].map(quoteShellWord).join(' ');
  const child = spawn('script', ['-q', '-e', '-c', `exec ${words}`, '/dev/null'], {
    cwd: options.cwd,
    env: { ...options.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream };
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, scrollback: 1_000 });
  answerColours(terminal, (text) => void child.stdin.write(text));
  child.stdin.on('error', () => {});
  const watchers = new Set<() => void>();
  let head = '';
  let begun = 0;
  let pid = 0;
  let clears = 0;
  /** The end of the last piece: a sequence can be cut. */
  let tail = '';
  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (given: string) => {
    let piece = given;
    if (pid === 0) {
      head += piece;
      const end = head.indexOf('\n');
      if (end < 0) return;
      pid = Number(head.slice(0, end));
      begun = performance.now();
      piece = head.slice(end + 1);
    }
    clears += `${tail}${piece}`.match(CLEAR)?.length ?? 0;
    tail = piece.slice(-3);
    terminal.write(piece, notify);
  });
  const ended = once(child, 'close').then(() => terminal.write('', notify));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const read = (): string => {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row));
    return rows.map((row) => row?.translateToString(true) ?? '').join('\n');
  };
  return {
    get pid() {
      return pid;
    },
    get clears() {
      return clears;
    },
    ended,
    type: (text) => void child.stdin.write(text),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const finish = (then: () => void): void => {
          clearTimeout(timer);
          watchers.delete(look);
          then();
        };
        const fail = (what: string): void =>
          finish(() => reject(new Error(`${command.join(' ')} ${what} without ${String(text)}:\n${read()}`)));
        const look = (): void => {
          const at = performance.now();
          if (text.test(read())) finish(() => resolve(at - begun));
          else if (hasEnded()) fail('ended');
        };
        const timer = setTimeout(() => fail('hung'), options.hungMs ?? HUNG_MS);
        watchers.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) {
        try {
          // Its group: some start further programs.
          process.kill(-pid, 'SIGKILL');
        } catch {
          // It has just ended.
        }
        child.kill('SIGKILL');
      }
      await ended;
      terminal.dispose();
    },
  };
}

/**
 * What the emulator does not answer by itself: the colours of text and background, and the flags of the keyboard
 * protocol, none of which is set.
 */
function answerColours(terminal: xterm.Terminal, answer: (text: string) => void): void {
  terminal.onData(answer);
  const toColour = (code: number, colour: string) =>
    terminal.parser.registerOscHandler(code, (data) => {
      if (data === '?') answer(`\u001b]${code};rgb:${colour}\u001b\\`);
      return true;
    });
  toColour(10, 'ffff/ffff/ffff');
  toColour(11, '0000/0000/0000');
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    answer('\u001b[?0u');
    return true;
  });
}
