import { messageOf } from './message-of.ts';

/** Every error code with its meaning. Doors map the codes to exit codes and HTTP statuses. The union is closed. */
export const ERROR_MEANINGS = {
  usage: 'The request is invalid, such as an unknown session, tool or option.',
  config: 'A setting is missing or invalid.',
  auth: 'There is no key, or the provider rejected it.',
  'model.unknown': 'No provider has a model of this name.',
  'model.failed': 'The request to the provider failed after all retries.',
  'runner.failed': 'The program of an agent that it drives itself could not be started, or failed.',
  'mcp.failed': 'An MCP server could not be started or reached, ended, broke the protocol, or exceeded a limit.',
  'mcp.lost': 'The connection to an MCP server was lost during a call that may have had its effect.',
  'format.failed': 'The formatter of the project failed, took too long, or tried to change other files.',
  'scheduler.failed':
    'The engine that schedules sessions on several machines cannot be reached, or rejected a request.',
  limit: 'A token, money, tool-call or turn limit was reached.',
  denied: 'The gate denied the call.',
  'sandbox.unavailable': 'No sandbox driver works here.',
  'sandbox.failed': 'The sandbox driver failed to start a command.',
  'workspace.missing': 'The workspace does not exist or is not a directory.',
  'workspace.refused': "The workspace is `/`, the home folder or Klaus's own state.",
  'workspace.outside': 'A path is outside the workspace.',
  'workspace.conflict': 'A file changed in the meantime.',
  'copy.refused':
    'No working copy can start from this folder: it has no repository or no commit, or the repository is bare.',
  'copy.blocked': 'The working copy or its repository is in a state in which the step is not possible.',
  'copy.missing': 'There is no such working copy, or its folder or repository was deleted.',
  'session.moved': 'The session runs at another place: in a cluster, or in the state folder of another machine.',
  'session.differs': 'Two copies of a session have different records, so that neither continues the other.',
  'undo.nothing': 'The session has nothing to undo, redo or restore.',
  'store.busy': 'Another process holds the session.',
  'store.corrupt': 'The database or the chain is damaged.',
  'store.full': 'The disk is full or read-only.',
  'tool.unknown': 'The model called a tool that does not exist.',
  'tool.input': 'The input of the tool does not match its schema.',
  'tool.cut': 'The answer of the model was cut off within the call, so the tool was not run.',
  'tool.failed': 'The tool ran and failed.',
  cancelled: 'The user cancelled it.',
  timeout: 'A deadline passed.',
  internal: 'An error in Klaus itself.',
} as const;

export type ErrorCode = keyof typeof ERROR_MEANINGS;

export const ERROR_CODES = Object.keys(ERROR_MEANINGS) as readonly ErrorCode[];

const MARK = Symbol.for('klaus.error');

export interface KlausErrorOptions {
  /** What the user can do, as one imperative sentence. */
  hint?: string;
  /** True when the same call may succeed later without any change. Default false. */
  retryable?: boolean;
  cause?: unknown;
}

/**
 * The only error type. Test for it with {@link isKlausError} and not with `instanceof`, which fails for an error of
 * another copy of the package.
 */
export class KlausError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: KlausErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KlausError';
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, MARK, { value: true });
  }
}

/** True for a KlausError of any copy of this package. */
export function isKlausError(value: unknown): value is KlausError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[MARK] === true;
}

/** The result of `run`; undefined if it throws a KlausError. Any other error is a bug and propagates. */
export async function unlessFailed<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
}

/** Wraps a thrown value as a KlausError. A KlausError is returned as it is. */
export function toKlausError(value: unknown, code: ErrorCode = 'internal'): KlausError {
  if (isKlausError(value)) return value;
  return new KlausError(code, messageOf(value), { cause: value });
}
