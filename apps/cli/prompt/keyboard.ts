import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ReadStream } from 'node:tty';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';

export type Keyboard = Awaited<ReturnType<typeof openKeyboard>>;

/** Keys that have a name, by what the terminal sends. */
const NAMES: Readonly<Record<string, string>> = {
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001by': 'alt-y',
  '\u001bn': 'alt-n',
};

/** True if this process has a terminal at which a user can answer. */
export function hasKeyboard(): boolean {
  if (err.isTTY !== true) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens the terminal for single keys, also while standard input is a pipe. Earlier input is discarded: a key that was
 * pressed before a question was shown must not answer it.
 */
export async function openKeyboard() {
  const tty = new ReadStream(openSync('/dev/tty', 'r'));
  let take: ((key: string | undefined) => void) | undefined;
  tty.on('data', (data) => {
    // A letter and Enter can arrive together when this process was busy.
    const text = data.toString().replace(/^(\p{L})[\r\n]$/u, '$1');
    const name = NAMES[text];
    // Pasted text is several characters, and answers nothing.
    if (name !== undefined || text.length === 1) take?.(name ?? text);
  });
  tty.on('error', () => take?.(undefined));
  tty.on('end', () => take?.(undefined));
  tty.setRawMode(true);
  // Two turns of the event loop read all input that the kernel has queued.
  await setImmediate();
  await setImmediate();
  return {
    /** Waits for a key: its character, or a name such as `tab`, `alt-y` or `ctrl-c`; undefined when `signal` aborts or the terminal is closed. */
    key: (signal?: AbortSignal) =>
      new Promise<string | undefined>((resolve) => {
        const resolveOnce = (key: string | undefined) => {
          take = undefined;
          signal?.removeEventListener('abort', abort);
          resolve(key);
        };
        const abort = () => resolveOnce(undefined);
        if (signal?.aborted === true) return resolve(undefined);
        signal?.addEventListener('abort', abort, { once: true });
        take = resolveOnce;
        return undefined;
      }),
    /**
     * Reads a line that can be edited. The result is as that of `key`, and undefined after Ctrl-D in an empty line.
     *
     * @param options.isHidden True: the line is not shown.
     */
    line: (prompt: string, { signal, isHidden = false }: { signal?: AbortSignal; isHidden?: boolean } = {}) =>
      new Promise<string | undefined>((resolve) => {
        const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : err.stream;
        const lines = createInterface({ input: tty, output, terminal: true });
        const finish = (text: string | undefined): void => {
          resolve(text);
          signal?.removeEventListener('abort', abort);
          tty.off('end', abort);
          lines.off('close', onClose);
          lines.close();
          if (tty.destroyed) return;
          tty.setRawMode(true);
          tty.resume();
        };
        const abort = (): void => finish(undefined);
        const onClose = (): void => {
          err.write('\n');
          abort();
        };
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        lines.on('SIGINT', () => {
          err.write('\n');
          finish('ctrl-c');
        });
        lines.once('close', onClose);
        tty.once('end', abort);
        if (isHidden) err.write(prompt);
        lines.question(prompt, (text) => {
          if (isHidden) err.write('\n');
          finish(text);
        });
        return undefined;
      }),
    /** Releases the terminal for another program, such as an editor, until `resume`. */
    pause() {
      tty.setRawMode(false);
      tty.pause();
    },
    resume() {
      tty.setRawMode(true);
      tty.resume();
    },
    [Symbol.dispose]() {
      if (tty.destroyed) return;
      tty.setRawMode(false);
      tty.destroy();
    },
  };
}

/** Asks a yes-or-no question at the terminal. @throws UsageError with the message `refusal` if there is no terminal. */
export async function confirm(question: string, refusal: string): Promise<boolean> {
  if (!hasKeyboard()) throw new UsageError(refusal, 'Add `--yes` to do it without a question.');
  using keyboard = await openKeyboard();
  err.write(`${question} [y/n] `);
  const key = await keyboard.key();
  err.write('\n');
  return key?.toLowerCase() === 'y';
}
