/** Why the terminal did not switch: Claude Code does not know the session, or a session did not report itself in time. */
export type SupervisorErrorKind = 'target-missing' | 'hook-timeout' | 'ended';

/** A switch that did not happen. The message names what the user can do. */
export class SupervisorError extends Error {
  readonly kind: SupervisorErrorKind;

  constructor(kind: SupervisorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SupervisorError';
    this.kind = kind;
  }
}
