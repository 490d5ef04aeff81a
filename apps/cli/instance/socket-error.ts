import type { ErrorCode } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { CliError } from '../program/cli-error.ts';
import { ERROR_EXITS, isKlausError } from '../program/exit-codes.ts';
import type { Action, Result, SOCKET_ERRORS, SocketAnswer } from './protocol.ts';

/** An error of the socket protocol, with a code of it. */
export class SocketError extends Error {
  readonly code: string;

  /** @param code Another text only for an error of another instance, which is passed on. */
  constructor(code: keyof typeof SOCKET_ERRORS | (string & {}), message: string) {
    super(message);
    this.name = 'SocketError';
    this.code = code;
  }
}

function toSocketCode(code: ErrorCode): string {
  return `E_${code.toUpperCase().replaceAll('.', '_')}`;
}

/** An error as it is sent. */
export function toSentError(error: unknown): { code: string; message: string } {
  if (error instanceof SocketError) return { code: error.code, message: error.message };
  if (isKlausError(error)) {
    const { code, message, hint } = error;
    return { code: toSocketCode(code), message: hint === undefined ? message : `${message} ${hint}` };
  }
  return { code: 'E_INTERNAL', message: messageOf(error) };
}

/** Runs a lookup whose `usage` error has a code of its own here. */
export async function withCode<T>(code: keyof typeof SOCKET_ERRORS, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!isKlausError(error) || error.code !== 'usage') throw error;
    throw new SocketError(code, toSentError(error).message);
  }
}

/** The code of Klaus, and so the exit code, for each code of the socket that is not derived from one. */
const COMMAND_CODES: Readonly<Partial<Record<string, ErrorCode>>> = {
  E_CHECKOUT_IN_PROGRESS: 'store.busy',
  E_SHUTTING_DOWN: 'store.busy',
  E_WAIT_TIMEOUT: 'timeout',
  E_HOOK_TIMEOUT: 'timeout',
  E_AGENT_TYPE_NOT_ALLOWED: 'denied',
  E_MAX_DEPTH_EXCEEDED: 'limit',
};

/** What the user of a command can do. */
const HINTS: Readonly<Partial<Record<string, string>>> = {
  E_INSTANCE_NOT_FOUND:
    'Run `klaus` in a terminal in this folder. `klaus instances --everywhere` lists the instances of all projects.',
  E_AMBIGUOUS_INSTANCE: 'Name one of them with `--instance ID`.',
  E_SESSION_NOT_FOUND: '`klaus sessions` lists them.',
  E_SESSION_PROJECT_MISMATCH: '`klaus attach ID` opens it in this terminal.',
  E_SWITCH_TARGET_MISSING: 'Name a session: `klaus checkout ID`. `klaus sessions` lists them.',
  E_CHECKOUT_IN_PROGRESS: 'Repeat the command when it has ended.',
  E_WAIT_TIMEOUT: 'The run continues. Repeat the command, or stop it with `klaus interrupt ID`.',
};

/** The result of `find`, whose SocketError is thrown as a command reports it. */
export function asCommand<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw error instanceof SocketError ? toCommandError(error) : error;
  }
}

/** The result of an answer. @throws CliError with the code that a command reports for the error. */
export function fromAnswer<A extends Action>(answer: SocketAnswer<A>): Result<A> {
  if (answer.ok) return answer.result;
  throw toCommandError(answer.error);
}

/** An error of the socket as a command reports it. */
function toCommandError({ code, message }: { code: string; message: string }): CliError {
  const own = (Object.keys(ERROR_EXITS) as ErrorCode[]).find((each) => toSocketCode(each) === code);
  const hint = HINTS[code];
  return new CliError(COMMAND_CODES[code] ?? own ?? 'usage', message, hint === undefined ? {} : { hint });
}
