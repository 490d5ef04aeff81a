import type { FailureCode } from '../contract/index.ts';

const MARK = Symbol.for('klendathu.error');

/** The only error with which an investigation or an implementation rejects. */
export class KlendathuError extends Error {
  override readonly name = 'KlendathuError';
  /** Why there is no result: a key of `FAILURE_CODES`. */
  readonly code: FailureCode;
  /** What the user can do. */
  readonly hint: string | undefined;
  readonly [MARK] = true;

  /** `cause` is the error that was investigated, or else the error that prevented it. */
  constructor(code: FailureCode, message: string, more: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined);
    this.code = code;
    this.hint = more.hint;
  }

  /** Also true for an error of another copy of this package. */
  static isInstance(value: unknown): value is KlendathuError {
    return value instanceof Error && MARK in value;
  }
}
