/**
 * Why the terminal did not switch: the session is not known to Claude Code, a session did not report in time, or another
 * process works on it.
 */
export type SupervisorErrorKind = 'target-missing' | 'hook-timeout' | 'busy' | 'ended';

/** A switch that did not happen. The message names what the user can do. */
export class SupervisorError extends Error {
  readonly kind: SupervisorErrorKind;

  constructor(kind: SupervisorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SupervisorError';
    this.kind = kind;
  }
}
