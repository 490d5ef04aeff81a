import type { App } from '../app/app.ts';

/** A command that begins with a slash. */
export interface TerminalCommand {
  name: string;
  /** Such as `[NAME]`. Absent: it takes none. */
  argument?: string;
  /** One line. */
  summary: string;
  /** @param argument What follows the name, without white space around it. */
  run: (app: App, argument: string) => Promise<void> | void;
}
