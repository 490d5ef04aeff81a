import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@klaus/sdk/message-of';

const NAME = /^agent-(\d{4}-\d{2}-\d{2})\.log$/;
const DAY_MS = 86_400_000;

export interface DailyLogFileOptions {
  /** Created with mode 0700 if it is missing. */
  folder: string;
  /** Number of earlier files to keep; 0 keeps all. */
  keepDays: number;
  /** Unix milliseconds. Default: the machine's clock. */
  now?: () => number;
  /** Called once when entries begin to be lost, and once when writing works again. */
  onWarning: (text: string) => void;
}

/**
 * Writes lines to one file a day, `agent-2026-01-31.log` in UTC, which only this user can read. `write` is synchronous,
 * so that no line is lost when the process ends. A line that cannot be written is dropped.
 */
export class DailyLogFile {
  readonly #options: DailyLogFileOptions;
  #day = '';
  #descriptor: number | undefined;
  #lost = 0;
  /** The last line was written in part: the next one starts a new line. */
  #isPartial = false;

  constructor(options: DailyLogFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    try {
      this.#write(line);
    } catch (error) {
      this.close();
      if (this.#lost++ === 0) this.#options.onWarning(`the log cannot be written: ${messageOf(error)}`);
    }
  }

  /** The next line opens the file again. Idempotent. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(line: string): void {
    const bytes = Buffer.from(this.#isPartial ? `\n${line}` : line);
    const descriptor = this.#open();
    for (let at = 0; at < bytes.length;) {
      at += writeSync(descriptor, bytes, at);
      this.#isPartial = at < bytes.length;
    }
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.onWarning(`the log is writable again; ${lost} ${lost === 1 ? 'entry was' : 'entries were'} lost`);
  }

  #open(): number {
    const day = toDay((this.#options.now ?? Date.now)());
    if (this.#descriptor !== undefined && day === this.#day) return this.#descriptor;
    const { folder } = this.#options;
    this.close();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(join(folder, `agent-${day}.log`), 'a', 0o600);
    if (day !== this.#day) this.#removeOld(day);
    this.#day = day;
    return this.#descriptor;
  }

  #removeOld(today: string): void {
    const { folder, keepDays } = this.#options;
    if (keepDays === 0) return;
    const first = toDay(Date.parse(today) - keepDays * DAY_MS);
    for (const name of readdirSync(folder)) {
      const day = NAME.exec(name)?.[1];
      if (day !== undefined && day < first) rmSync(join(folder, name), { force: true });
    }
  }
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
