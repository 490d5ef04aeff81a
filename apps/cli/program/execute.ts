import type { KlausError } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { messageOf } from '@klaus/sdk/message-of';
import { CommanderError } from 'commander';
import { err } from '../output/sink.ts';
import { isEndOfPipe, outputFailure, watchStreams } from '../output/streams.ts';
import { CliError, UsageError } from './cli-error.ts';
import { EXIT, isKlausError, toExitCode } from './exit-codes.ts';
import { checkHelpTopic, toHelpList } from './help-list.ts';
import { toCommandWords } from './other-spellings.ts';
import { COMMAND_NAMES, createProgram } from './program.ts';
import { useProxies } from './use-proxies.ts';

/** Runs one command line and ends the process with its exit code. Never throws. */
export async function execute(given: readonly string[]): Promise<never> {
  const words = toCommandWords(given);
  watchStreams();
  const asJson = wantsJson(words);
  // Node would print the error with its stack trace.
  process.once('uncaughtException', (error) => process.exit(reportError(error, { asJson })));
  let code: number = EXIT.done;
  try {
    await useProxies();
    const isChat = words.length === 0 && (await isTerminal());
    const program = await createProgram(words, (result) => (code = result), isChat);
    const line = toHelpList(words).words;
    await checkHelpTopic(line, COMMAND_NAMES);
    await program.parseAsync([...line], { from: 'user' });
  } catch (error) {
    const isDone = (error instanceof CommanderError && error.exitCode === 0) || isEndOfPipe(error);
    code = isDone ? EXIT.done : reportError(error, { asJson, help: toHelp(words) });
  }
  await flush(process.stdout);
  const failure = outputFailure();
  if (failure !== undefined) code = reportError(toOutputError(failure), { asJson });
  await flush(process.stderr);
  // Open handles, such as keep-alive sockets, do not delay the end.
  process.exit(code);
}

/** Loads the modules of terminals and sockets, which most commands do not need. */
async function isTerminal(): Promise<boolean> {
  const { isatty } = await import('node:tty');
  return isatty(0) && isatty(1);
}

/** True if the line asks for errors as JSON. It is read before it is parsed, because it may be wrong. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  return options.some(
    (word, index) =>
      word === '--json' ||
      /^--output-format=(stream-)?json$/.test(word) ||
      (/^(stream-)?json$/.test(word) && options[index - 1] === '--output-format'),
  );
}

/** The command line whose help explains a wrong one: `klaus run --help` for a prompt with options. */
function toHelp([word]: readonly string[]): string {
  if (word === undefined || word === 'help') return 'klaus --help';
  return `klaus ${COMMAND_NAMES.includes(word) ? word : 'run'} --help`;
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // The error of a broken stream is reported in a later turn of the event loop.
    if (stream.destroyed || !stream.writable) setImmediate(resolve);
    else stream.write('', () => setImmediate(resolve));
  });
}

/** Standard output cannot be written, for example to a file on a full disk. */
function toOutputError(cause: Error): CliError {
  const hint = 'The session is complete: `klaus sessions` lists it, `klaus show ID` prints it.';
  return new CliError('store.full', `Standard output could not be written: ${cause.message}`, { hint, cause });
}

/** The error as one with a code, a message and a hint. */
function toCoded(error: unknown, help: string): Pick<KlausError, 'code' | 'message' | 'hint'> {
  if (isKlausError(error)) return error;
  if (error instanceof CommanderError) return toUsageError(error, help);
  if ((error as { syscall?: unknown } | null)?.syscall === 'uv_cwd') {
    return new UsageError(
      'The current folder does not exist any more.',
      'Change to an existing folder, or name one with `--cwd`.',
    );
  }
  return new CliError('internal', messageOf(error), {
    hint: 'This is a defect in Klaus. `KLAUS_DEBUG=1` shows where it happened.',
  });
}

function toUsageError(error: CommanderError, help: string): UsageError {
  if (/unknown option '--(server|token-file)/.test(error.message)) {
    return new UsageError(
      'This command acts on this machine only: it takes no --server.',
      'Run it on the machine of the server, or open the page of the server.',
    );
  }
  if (error.code === 'commander.help') return new UsageError('A command is missing.', `See ${help}.`);
  // "error: unknown option '--jsn'\n(Did you mean --json?)"
  const [what = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const message = what.charAt(0).toUpperCase() + what.slice(1);
  return new UsageError(message, hint?.replace(/^\(|\)$/g, '') ?? `See ${help}.`);
}

/**
 * Writes an error to standard error: a line that says what is wrong, and a line that says what to do. With `asJson`,
 * one JSON object. The stack trace is shown with `KLAUS_DEBUG=1` only.
 *
 * @param options.help The command line whose help explains the wrong one. Default: `klaus --help`.
 * @returns The exit code.
 */
function reportError(error: unknown, options: { asJson: boolean; help?: string }): number {
  const coded = toCoded(error, options.help ?? 'klaus --help');
  const { code, message, hint } = coded;
  const exitCode = toExitCode(coded);
  const stack = process.env['KLAUS_DEBUG'] === '1' && error instanceof Error ? error.stack : undefined;
  if (options.asJson) {
    err.json({ error: { code, message, hint, exitCode, stack } });
    return exitCode;
  }
  err.write(`klaus: ${toOneLine(message)}\n`);
  if (hint !== undefined) err.write(`  ${toOneLine(hint)}\n`);
  if (stack !== undefined) err.write(`${stack}\n`);
  return exitCode;
}

function toOneLine(text: string): string {
  return toPrintable(text).replaceAll(/\s*\n\s*/g, ' ');
}
