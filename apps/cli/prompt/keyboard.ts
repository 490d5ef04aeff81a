import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { setImmediate } from 'node:timers/promises';
import { err } from '../output/sink.ts';

/** Single keys from the terminal, also while standard input is a pipe. */
export interface Keyboard {
  /** Waits for a key; `ctrl-c` for Ctrl-C, and undefined when `signal` aborts or the terminal is closed. */
  key(signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Reads a line that can be edited; `ctrl-c` for Ctrl-C, and undefined when `signal` aborts or the terminal is closed.
   */
  line(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Releases the terminal for another program, such as an editor, until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

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
 * Opens the terminal for single keys. Earlier input is discarded: a key that was pressed before a question was shown
 * must not answer it.
 */
export async function openKeyboard(): Promise<Keyboard> {
  const tty = new ReadStream(openSync('/dev/tty', 'r'));
  let take: ((key: string | undefined) => void) | undefined;
  tty.on('data', (data) => {
    const text = data.toString();
    // Pasted text and arrow keys are several characters, and answer nothing.
    if (text.length === 1) take?.(text === '\u0003' ? 'ctrl-c' : text);
  });
  tty.on('error', () => take?.(undefined));
  tty.on('end', () => take?.(undefined));
  tty.setRawMode(true);
  // Two turns of the event loop read all input that the kernel has queued.
  await setImmediate();
  await setImmediate();
  return {
    key: (signal) =>
      new Promise((resolve) => {
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
    line: (prompt, signal) =>
      new Promise((resolve) => {
        const lines = createInterface({ input: tty, output: err.stream, terminal: true });
        const finish = (text: string | undefined): void => {
          signal?.removeEventListener('abort', abort);
          lines.close();
          tty.setRawMode(true);
          tty.resume();
          resolve(text);
        };
        const abort = (): void => finish(undefined);
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        lines.on('SIGINT', () => finish('ctrl-c'));
        tty.once('end', abort);
        lines.question(prompt, finish);
        return undefined;
      }),
    pause() {
      tty.setRawMode(false);
      tty.pause();
    },
    resume() {
      tty.setRawMode(true);
      tty.resume();
    },
    close() {
      if (!tty.destroyed) {
        tty.setRawMode(false);
        tty.destroy();
      }
    },
  };
}
