import type { ErrorCode, KlausError } from '@klaus/sdk';
import { CommanderError } from 'commander';
import { EXIT, toExitCode } from './exit-codes.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';

/** The words of the command line are wrong. Known without loading the engine, so that a typing mistake is answered at once. */
export class UsageError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Standard output took no more, such as a file on a full disk. */
export class OutputError extends Error {
  constructor(cause: Error) {
    super(`Standard output could not be written: ${cause.message}`, { cause });
    this.name = 'OutputError';
  }
}

interface Report {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
  exitCode: number;
}

/** True for a KlausError of any copy of the package; the symbol is the contract. */
function isKlausError(value: unknown): value is KlausError {
  return typeof value === 'object' && value !== null && Symbol.for('klaus.error') in value;
}

function toReport(error: unknown, help: string): Report {
  if (error instanceof UsageError) {
    return { code: 'usage', message: error.message, hint: error.hint, exitCode: EXIT.usage };
  }
  if (error instanceof OutputError) {
    const hint = 'Nothing of the session is lost: klaus sessions lists it, klaus show ID prints it.';
    return { code: 'store.full', message: error.message, hint, exitCode: EXIT.failed };
  }
  if (error instanceof CommanderError) {
    if (/unknown option '--(server|token-file)/.test(error.message)) {
      const hint = 'Type it on the machine of the server, or look at the page that it serves.';
      return {
        code: 'usage',
        message: 'This command acts on this machine alone: it takes no --server.',
        hint,
        exitCode: EXIT.usage,
      };
    }
    // "error: unknown option '--jsn'\n(Did you mean --json?)"
    const [what = '', hint] = error.message.replace(/^error: /, '').split('\n');
    const message = what.charAt(0).toUpperCase() + what.slice(1);
    return {
      code: 'usage',
      message: error.code === 'commander.help' ? 'A command is missing.' : message,
      hint: hint?.replace(/^\(|\)$/g, '') ?? `See ${help}.`,
      exitCode: EXIT.usage,
    };
  }
  if (isKlausError(error)) {
    return { code: error.code, message: error.message, hint: error.hint, exitCode: toExitCode(error) };
  }
  if ((error as { syscall?: unknown } | null)?.syscall === 'uv_cwd') {
    const hint = 'Go to a folder that is there, or name one with --cwd.';
    return { code: 'usage', message: 'The current folder does not exist any more.', hint, exitCode: EXIT.usage };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message,
    hint: 'This is a defect in Klaus. KLAUS_DEBUG=1 shows where it happened.',
    exitCode: EXIT.failed,
  };
}

/**
 * Writes an error to standard error: one line that says what is wrong, one that says what to do. With
 * `asJson` one JSON object instead. A stack trace only with `KLAUS_DEBUG=1`.
 *
 * @param options.help The command line that explains the one that was wrong. Default: `klaus --help`.
 * @returns The exit code.
 */
export function reportError(error: unknown, options: { asJson: boolean; help?: string }): number {
  const report = toReport(error, options.help ?? 'klaus --help');
  const debug = process.env['KLAUS_DEBUG'] === '1' && error instanceof Error ? error.stack : undefined;
  if (options.asJson) {
    const { code, message, hint, exitCode } = report;
    err.json({ error: { code, message, hint, exitCode, stack: debug } });
  } else {
    err.write(`klaus: ${toOneLine(report.message)}\n`);
    if (report.hint !== undefined) err.write(`  ${toOneLine(report.hint)}\n`);
    if (debug !== undefined) err.write(`${debug}\n`);
  }
  return report.exitCode;
}

function toOneLine(text: string): string {
  return toPrintable(text).replaceAll(/\s*\n\s*/g, ' ');
}
