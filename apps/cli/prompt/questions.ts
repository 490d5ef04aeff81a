export interface Choice<T extends string> {
  value: T;
  /** One short line. */
  label: string;
  hint?: string;
}

/** Returns the problem of an answer, which has no white space around it; undefined accepts it. */
export type Check = (answer: string) => string | undefined;

export interface Done {
  /** A few words. */
  title: string;
  /** What was written. */
  lines?: readonly string[];
  /** What to do next, in one line. */
  next?: string;
}

/**
 * The questions of one command at the terminal, shown on standard error. An answer is undefined after Ctrl-C, Ctrl-D and,
 * except line by line, Esc. Texts must be safe for a terminal.
 */
export interface Questions extends Disposable {
  /** One of the choices; the first one is offered. */
  select<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T | undefined>;
  /** Any number of the choices, in their order. */
  selectMany<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T[] | undefined>;
  /** A line without the white space around it. */
  text(message: string, check?: Check): Promise<string | undefined>;
  /** A line that is not shown. */
  secret(message: string, check: Check): Promise<string | undefined>;
  /** Shows what is done until it ends, and returns the result. Ctrl-C ends the process as a signal does, or with `EXIT.interrupted`. */
  wait<T>(messages: { doing: string; done: string }, work: () => Promise<T>): Promise<T>;
  /** Shows a problem, in one line. Further questions can follow. */
  warn(message: string): void;
  /** Shows the result. */
  end(done: Done): void;
  /** Shows that the user cancelled. */
  cancel(message: string): void;
}
