/** Every way Klaus fails, with what it means. Doors map these to exit codes and HTTP statuses; the union is closed. */
export const ERROR_MEANINGS = {
  usage: "The caller's words are wrong: unknown session, tool, option.",
  config: 'A setting is missing or wrong.',
  auth: 'No key, or the provider refused it.',
  'model.unknown': 'A model name that no provider knows.',
  'model.failed': 'The provider failed after all retries.',
  limit: 'A token, money, tool-call or turn limit was reached.',
  denied: 'The gate said no.',
  'sandbox.unavailable': 'No sandbox driver works here.',
  'sandbox.failed': 'The driver broke while starting a command.',
  'workspace.missing': 'The workspace does not exist or is not a directory.',
  'workspace.refused': "The workspace is `/`, the home folder or Klaus's own state.",
  'workspace.outside': 'A path that leaves the workspace.',
  'workspace.conflict': 'A file changed between check and use.',
  'store.busy': 'Another live process holds the session.',
  'store.corrupt': 'The database or the chain is damaged.',
  'store.full': 'No space left, or the disk is read-only.',
  'tool.unknown': 'The model called a tool that does not exist.',
  'tool.input': "The tool's input does not fit its schema.",
  'tool.failed': 'The tool ran and failed.',
  cancelled: 'The user stopped it.',
  timeout: 'A deadline passed.',
  internal: 'A bug.',
} as const;

export type ErrorCode = keyof typeof ERROR_MEANINGS;

export const ERROR_CODES = Object.keys(ERROR_MEANINGS) as readonly ErrorCode[];

const MARK = Symbol.for('klaus.error');

export interface KlausErrorOptions {
  /** What the user can do about it, as one imperative sentence. */
  hint?: string;
  /** True when the same call may succeed later without any change. Default false. */
  retryable?: boolean;
  cause?: unknown;
}

/**
 * The one error type. Recognise it with {@link isKlausError}, never with `instanceof`: two copies of the
 * package still know each other's errors.
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

/** Wraps anything thrown as a KlausError; what already is one passes through. */
export function toKlausError(value: unknown, code: ErrorCode = 'internal'): KlausError {
  if (isKlausError(value)) return value;
  return new KlausError(code, value instanceof Error ? value.message : String(value), { cause: value });
}
