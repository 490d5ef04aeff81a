import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { setImmediate } from 'node:timers/promises';
import { err } from '../output/sink.ts';

/** Single keys from the terminal, also while standard input is a pipe. */
export interface Keyboard {
  /** Waits for a key; `ctrl-c` for Ctrl-C, and undefined once `signal` aborts or the terminal has gone. */
  key(signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Reads a line with the usual keys to change it; `ctrl-c` for Ctrl-C, and undefined once `signal` aborts or the
   * terminal has gone.
   *
   * @param prompt Stands before it.
   */
  line(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Leaves the terminal to another program, such as an editor, until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** True when this process has a terminal that a person can answer at. */
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
 * Opens the terminal for single keys. What was typed before is thrown away: a key pressed before a question
 * was on the screen must never answer it.
 */
export async function openKeyboard(): Promise<Keyboard> {
  const tty = new ReadStream(openSync('/dev/tty', 'r'));
  let take: ((key: string | undefined) => void) | undefined;
  tty.on('data', (data) => {
    const text = data.toString();
    // One key at a time: pasted text and arrow keys come as several characters and answer nothing.
    if (text.length === 1) take?.(text === '\u0003' ? 'ctrl-c' : text);
  });
  tty.on('error', () => take?.(undefined));
  tty.on('end', () => take?.(undefined));
  tty.setRawMode(true);
  // Two turns of the event loop read everything that the kernel had queued.
  await setImmediate();
  await setImmediate();
  return {
    key: (signal) =>
      new Promise((resolve) => {
        const settle = (key: string | undefined) => {
          take = undefined;
          signal?.removeEventListener('abort', abort);
          resolve(key);
        };
        const abort = () => settle(undefined);
        if (signal?.aborted === true) return resolve(undefined);
        signal?.addEventListener('abort', abort, { once: true });
        take = settle;
        return undefined;
      }),
    line: (prompt, signal) =>
      new Promise((resolve) => {
        const lines = createInterface({ input: tty, output: err.stream, terminal: true });
        const settle = (text: string | undefined): void => {
          signal?.removeEventListener('abort', abort);
          lines.close();
          tty.setRawMode(true);
          tty.resume();
          resolve(text);
        };
        const abort = (): void => settle(undefined);
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        lines.on('SIGINT', () => settle('ctrl-c'));
        tty.once('end', abort);
        lines.question(prompt, settle);
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
