import type { KlausError } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { FAILURE_CODES, type FailureCode } from 'klendathu/contract';

/** Why there is no report. The code is also the exit code, by `FAILURE_CODES`. */
export class CliFailure extends Error {
  readonly code: FailureCode;
  /** What the user can do. */
  readonly hint: string | undefined;

  constructor(code: FailureCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliFailure';
    this.code = code;
    this.hint = options.hint;
  }
}

export function toExitCode(code: FailureCode): number {
  return FAILURE_CODES[code];
}

/** Failures of the engine by their codes. All others are `config`. */
const CODES: Partial<Record<KlausError['code'], FailureCode>> = {
  usage: 'input',
  'workspace.missing': 'input',
  'workspace.refused': 'input',
  auth: 'auth',
  'model.failed': 'model',
  limit: 'limit',
  cancelled: 'cancelled',
  timeout: 'timeout',
  internal: 'cli-died',
};

/** That of the SDK would load the engine, also for an invalid input. */
function isKlausError(value: unknown): value is KlausError {
  const mark = Symbol.for('klaus.error');
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === true;
}

/** Any thrown value as a failure with a code. */
export function toCliFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  if (isKlausError(error)) {
    const isFolder = error.code.startsWith('workspace.');
    return new CliFailure(CODES[error.code] ?? 'config', error.message, {
      // That of the engine names options of `klaus`.
      hint: isFolder ? 'Set `projectRoot` to the folder of the sources of the program.' : error.hint,
      cause: error,
    });
  }
  const message = messageOf(error);
  return new CliFailure('cli-died', `Internal error: ${message}`, {
    hint: 'This is a defect of klendathu-cli. `KLAUS_DEBUG=1` adds the stack trace.',
    cause: error,
  });
}
