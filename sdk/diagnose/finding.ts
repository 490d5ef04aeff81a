import { optional } from '@klaus/core/optional';
import { type ErrorCode, toKlausError } from '@klaus/core/protocol';

/** What was found about one thing that Klaus needs. */
export interface Finding {
  /** Such as `node` or `sandbox bubblewrap`. */
  name: string;
  /** `warn`: something is missing that a run can do without. */
  status: 'ok' | 'warn' | 'fail';
  text: string;
  /** What the user can do, with the exact line to type where there is one. */
  fix?: string;
  /** A shell line that fixes it with the system's package manager, where that is all it takes. */
  install?: string;
  /** True where a session fetches what is missing by itself, and `fetchSandbox` at once. */
  canFetch?: true;
  /** What a run would fail with, for `fail`. */
  code?: ErrorCode;
}

/** A failure in the words that a run would end with. */
export function toFailure(name: string, error: unknown, fallback: ErrorCode): Finding {
  const known = toKlausError(error, fallback);
  const { code, message, hint } = known;
  return { name, status: 'fail', text: message, code, ...optional({ fix: hint }) };
}
