import { messageOf } from '@klaus/sdk/message-of';
import { toLine } from '@klaus/sdk/printable';
import type { App } from './app.ts';
import type { TerminalInstance } from '../terminal-options.ts';

/** The instance of the terminal, which other programs control through its socket. */
export class ShownInstance {
  readonly #app: App;
  #opening: Promise<TerminalInstance | undefined> | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** Opens it. An error is shown, and the terminal works without it. */
  open(): void {
    const app = this.#app;
    const { openInstance } = app.options;
    if (!openInstance) return;
    const show = async (id: string): Promise<void> => {
      await app.link.attach(id);
      app.questions.update();
    };
    this.#opening = openInstance({ client: app.client, session: app.link.id, show }).catch((error: unknown) => {
      app.note(`Other programs cannot control this terminal: ${toLine(messageOf(error), 300)}`, 'warn');
      return undefined;
    });
    // The user may have chosen another session.
    this.setSession(app.link.id);
  }

  setSession(id: string | undefined): void {
    void this.#opening?.then((instance) => instance?.setSession(id));
  }

  /** Ends it, and names the sessions whose runs end with this process. The screen is that of the shell. */
  async end(exitCode: number): Promise<void> {
    const interrupted = (await (await this.#opening)?.end(exitCode)) ?? [];
    for (const id of interrupted.filter((each) => each !== this.#app.link.id))
      process.stdout.write(`The run of session ${id} was interrupted. \`klaus resume ${id}\` continues it.\n`);
  }
}
