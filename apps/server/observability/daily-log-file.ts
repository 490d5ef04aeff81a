import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^agent-(\d{4}-\d{2}-\d{2})\.log$/;
const DAY_MS = 86_400_000;

export interface DailyFileOptions {
  /** Made with mode 0700 when it is missing. */
  folder: string;
  /** Files of earlier days that are kept beside that of today; 0 keeps all. */
  keepDays: number;
  /** Unix milliseconds. Default: the machine's clock. */
  now?: () => number;
  /** Told once when entries begin to be lost, and once when they are kept again. */
  onTrouble: (text: string) => void;
}

/**
 * Lines in one file for each day, `agent-2026-01-31.log` in UTC, for this user alone. A line is with the system when
 * `write` returns, so that nothing has to be flushed when the process ends, however it does. A line that cannot be
 * written is lost, and nothing else.
 */
export class DailyFile {
  readonly #options: DailyFileOptions;
  #day = '';
  #descriptor: number | undefined;
  #lost = 0;
  /** A line was written in part: the next one begins a line of its own. */
  #isTorn = false;

  constructor(options: DailyFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    try {
      this.#write(line);
    } catch (error) {
      this.close();
      if (this.#lost++ === 0)
        this.#options.onTrouble(`the log cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** The next line opens the file again. Idempotent. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    const descriptor = this.#open();
    for (let at = 0; at < bytes.length;) {
      at += writeSync(descriptor, bytes, at);
      this.#isTorn = at < bytes.length;
    }
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.onTrouble(`the log is written again; ${lost} ${lost === 1 ? 'entry is' : 'entries are'} lost`);
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
