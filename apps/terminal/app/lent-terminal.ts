import { spawnSync } from 'node:child_process';
import { toProgramArguments } from '../commands/run-program.ts';
import { editText } from './external-editor.ts';
import type { AppOptions } from './app.ts';

/** The terminal while another program has it. */
export class LentTerminal {
  readonly #options: AppOptions;
  readonly #onReturn: () => void;
  #isLent = false;

  /** @param onReturn The screen is that of the app again. */
  constructor(options: AppOptions, onReturn: () => void) {
    this.#options = options;
    this.#onReturn = onReturn;
  }

  get isLent(): boolean {
    return this.#isLent;
  }

  /** Opens a text in the user's editor. Undefined: it failed, or another program has the terminal. */
  async edit(text: string, name: string): Promise<string | undefined> {
    return await this.#lend(() => editText(text, name, this.#options.editFile));
  }

  /** Runs this program for other words. @returns Its exit code; undefined after a signal, and if another program has the terminal. */
  async run(words: readonly string[]): Promise<number | undefined> {
    const options = { cwd: this.#options.folder, stdio: 'inherit' } as const;
    const ended = await this.#lend(() => {
      // The program is loaded for a moment. What is typed until then, such as a key, is for its first question.
      const modes = spawnSync('stty', ['-g'], {
        stdio: ['inherit', 'pipe', 'ignore'],
        encoding: 'utf8',
      }).stdout?.trim();
      if (modes) spawnSync('stty', ['-echo', '-icanon'], { stdio: 'inherit' });
      process.stdout.write(`Opening klaus ${words[0]} …\n`);
      try {
        return spawnSync(process.execPath, toProgramArguments(words), options);
      } finally {
        if (modes) spawnSync('stty', [modes], { stdio: 'inherit' });
      }
    });
    return ended?.status ?? undefined;
  }

  async #lend<T>(use: () => T): Promise<T | undefined> {
    if (this.#isLent) return undefined;
    this.#isLent = true;
    try {
      return await this.#options.screen.leaveTo(use);
    } finally {
      this.#isLent = false;
      this.#onReturn();
    }
  }
}
