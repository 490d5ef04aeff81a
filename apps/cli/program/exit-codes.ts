import type { ErrorCode, KlausError, ModelFailureCode, Outcome } from '@klaus/sdk';

/** Exit codes of every command. 0 always means success. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  config: 3,
  model: 4,
  limit: 5,
  denied: 6,
  sandbox: 7,
  waiting: 8,
  busy: 9,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitName];

export const EXIT_MEANINGS: Readonly<Record<ExitName, string>> = {
  done: 'Done.',
  failed: 'The task failed.',
  usage: 'The command line is wrong.',
  config: 'Configuration or authentication.',
  model: 'The model failed after all retries.',
  limit: 'A budget or turn limit was reached.',
  denied: 'A denial kept the task from finishing.',
  sandbox: 'There is no sandbox.',
  waiting: 'The run waits for an approval.',
  busy: 'Timed out, or another process holds the session.',
  interrupted: 'Interrupted.',
};

export const ERROR_EXITS: Readonly<Record<ErrorCode, ExitName>> = {
  usage: 'usage',
  config: 'config',
  auth: 'config',
  'model.unknown': 'config',
  'model.failed': 'model',
  'runner.failed': 'failed',
  'mcp.failed': 'failed',
  'mcp.lost': 'failed',
  'scheduler.failed': 'failed',
  'format.failed': 'failed',
  limit: 'limit',
  denied: 'denied',
  'sandbox.unavailable': 'sandbox',
  'sandbox.failed': 'sandbox',
  'workspace.missing': 'usage',
  'workspace.refused': 'usage',
  'workspace.outside': 'usage',
  'workspace.conflict': 'failed',
  'copy.refused': 'usage',
  'copy.blocked': 'failed',
  'copy.missing': 'usage',
  'session.moved': 'usage',
  'session.differs': 'failed',
  'undo.nothing': 'failed',
  'store.busy': 'busy',
  'store.corrupt': 'failed',
  'store.full': 'failed',
  'tool.unknown': 'failed',
  'tool.input': 'failed',
  'tool.cut': 'failed',
  'tool.failed': 'failed',
  cancelled: 'interrupted',
  timeout: 'busy',
  internal: 'failed',
};

export const OUTCOME_EXITS: Readonly<Record<Outcome, ExitName>> = {
  done: 'done',
  failed: 'failed',
  model_failed: 'model',
  limit: 'limit',
  denied: 'denied',
  cancelled: 'interrupted',
};

/** The exit code for a thrown value: that of a KlausError's code, and 1 for any other value. */
export function toExitCode(error: unknown): ExitCode {
  return EXIT[isKlausError(error) ? (ERROR_EXITS[error.code] ?? 'failed') : 'failed'];
}

/** True for a KlausError of any copy of the package. The symbol is the contract: an import would load the engine. */
export function isKlausError(value: unknown): value is KlausError {
  return typeof value === 'object' && value !== null && Symbol.for('klaus.error') in value;
}

/**
 * The exit code for the outcome of a run.
 *
 * @param failure How the last model request failed: a refused key is 3, not 4.
 */
export function outcomeToExitCode(outcome: Outcome, failure?: ModelFailureCode): ExitCode {
  if (outcome === 'model_failed' && failure === 'auth') return EXIT.config;
  return EXIT[OUTCOME_EXITS[outcome]];
}
