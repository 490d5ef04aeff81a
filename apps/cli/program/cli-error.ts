import type { ErrorCode } from '@klaus/sdk';

/**
 * An error of the command line itself, with the code, and so the exit code, that the engine's error of that kind has.
 * The engine is not loaded for it.
 */
export class CliError extends Error {
  readonly code: ErrorCode;
  /** What the user can do. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'CliError';
    this.code = code;
    this.hint = hint;
    // Marks an error with a code, as in the engine.
    Object.defineProperty(this, Symbol.for('klaus.error'), { value: true });
  }
}

export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, { hint });
    this.name = 'UsageError';
  }
}
