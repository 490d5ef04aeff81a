import { type ErrorCode, toKlausError } from '@klaus/core/protocol';

/** The result of one check of the environment. */
export interface Finding {
  /** Such as `node` or `sandbox bubblewrap`. */
  name: string;
  /** `warn`: something optional is missing. */
  status: 'ok' | 'warn' | 'fail';
  text: string;
  /** What the user can do, with the exact command if there is one. */
  fix?: string;
  /** A shell command for the system's package manager, if that is sufficient. */
  install?: string;
  /** True when a session downloads what is missing, or `fetchSandbox` does so at once. */
  canFetch?: true;
  /** It is not needed here, and it may not work. */
  unused?: true;
  /** The error code of a run, for `fail`. */
  code?: ErrorCode;
}

export function ok(name: string, text: string): Finding {
  return { name, status: 'ok', text };
}

export function warn(name: string, text: string, fix: string): Finding {
  return { name, status: 'warn', text, fix };
}

/** A failure with the message of the error that a run would report. */
export function toFailure(name: string, error: unknown, fallback: ErrorCode): Finding {
  const { code, message, hint } = toKlausError(error, fallback);
  return { name, status: 'fail', text: message, code, fix: hint };
}
