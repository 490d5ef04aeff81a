/** Similar denials within this time are attempts to get around the first one. */
const DENIAL_MS = 60_000;
const MAX_DENIALS = 3;

/** A call that was not allowed. */
export interface Denial {
  /** Unix milliseconds. */
  at: number;
  /** Equal for similar denials; see `toDenialKey`. */
  key: string;
}

/**
 * Denials are similar by what the calls would do, not by their spelling: the rule that found it says what that is.
 *
 * @param kind Of the call, such as `command` or `write`.
 */
export function toDenialKey(kind: string, rule: string, reason: string): string {
  // The rule of commands names the kind of effect first: `destroy: …`.
  const effect = rule === 'shell' ? (/^[a-z-]+(?=:)/.exec(reason)?.[0] ?? '') : '';
  return [kind === 'write' && rule === 'shell' ? 'command' : kind, rule, effect].join(' ');
}

/** True if this denial is the third similar one within a minute. */
export function isWorkaround(denials: readonly Denial[], key: string, now: number): boolean {
  const similar = denials.filter((denial) => denial.key === key && now - denial.at < DENIAL_MS);
  return similar.length + 1 >= MAX_DENIALS;
}

const ADVICE =
  'This is the third similar call within a minute. Do not try another way: explain to the user what you need and why, and end your turn';

/** The reason of such a denial: only the user can help. */
export function toWorkaroundReason(reason: string): string {
  return `${reason}. ${ADVICE}`;
}
