import { isKlausError, KlausError } from '@klaus/core/protocol';

/** SQLSTATE codes and their classes. Source: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const FULL: ReadonlySet<string> = new Set(['53100', '25006', '58030']);
const REFUSED: ReadonlySet<string> = new Set(['28', '3D', '42', '0L', '0P']);
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002']);
/** Statements that the server ended for a reason that passes: time-outs, deadlocks, too many connections. */
const PASSING: ReadonlySet<string> = new Set(['57014', '55P03', '40P01', '40001', '53300', '53200', '53000']);

/** Errors of lost connections, which have no SQLSTATE of a statement. */
const lost = new WeakSet<object>();
/** Errors of transactions of which it is not known whether they were committed. */
const unknown = new WeakSet<object>();

/** True when the connection was lost: the same work may succeed over a new one. */
export function isConnectionLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && lost.has(error);
}

/** True when the connection was lost during a COMMIT: its transaction may be durable or not. */
export function isCommitUnknown(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unknown.has(error);
}

export function markCommitUnknown(error: unknown): void {
  if (typeof error === 'object' && error !== null) unknown.add(error);
}

/** Converts an error of Postgres or of its connection to a KlausError. All other errors, such as bugs, are returned unchanged. */
export function toDatabaseError(error: unknown): unknown {
  if (isKlausError(error) || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (FULL.has(code)) {
    return new KlausError('store.full', `Postgres cannot write: ${error.message}.`, {
      hint: 'Free some space on its disk or make it writable; all stored data is intact.',
      cause: error,
    });
  }
  if (DAMAGED.has(code)) {
    return new KlausError('store.corrupt', `The Postgres database is damaged: ${error.message}.`, {
      hint: 'Restore it from a backup, or from a standby server.',
      cause: error,
    });
  }
  if (PASSING.has(code)) return toBusy(error, 'Postgres did not finish in time', 'Try again in a moment.');
  if (isLost(error, code)) {
    const failure = toBusy(
      error,
      'Postgres cannot be reached',
      'Check that it runs and can be reached. Klaus connects again by itself.',
    );
    lost.add(failure);
    return failure;
  }
  // A statement of Klaus that is wrong is a bug, and keeps its class 42 error; the rest is the configuration of the server.
  if (REFUSED.has(code.slice(0, 2)) && (code === '42501' || !code.startsWith('42'))) {
    return new KlausError('config', `Postgres refused the connection or a right: ${error.message}.`, {
      hint: 'Check user, password, database and rights of the Postgres URL.',
      cause: error,
    });
  }
  return error;
}

/** Class 08 are connection errors, 57P01 to 57P05 a server that stops or starts, 25P03 an idle transaction; the others come from the socket. */
function isLost(error: Error, code: string): boolean {
  if (code.startsWith('08') || /^(57P0[1-5]|25P03)$/.test(code)) return true;
  if (/^E[A-Z]+$/.test(code)) return true;
  return code === '' && LOST_MESSAGES.some((text) => error.message.includes(text));
}

/** Messages of `pg` for connections, which have no code. */
const LOST_MESSAGES = [
  'Connection terminated',
  'connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
];

function toBusy(error: Error, what: string, hint: string): KlausError {
  return new KlausError('store.busy', `${what}: ${error.message}.`, { hint, retryable: true, cause: error });
}
