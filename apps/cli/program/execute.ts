import { CommanderError } from 'commander';
import { isEndOfPipe, outputFailure, watchStreams } from '../output/streams.ts';
import { EXIT } from './exit-codes.ts';
import { COMMAND_NAMES, createProgram } from './program.ts';
import { reportError, toOutputError } from './report-error.ts';

/** Runs one command line and ends the process with its exit code. Never throws. */
export async function execute(words: readonly string[]): Promise<never> {
  watchStreams();
  const asJson = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  // Node would print the error with its stack trace.
  process.once('uncaughtException', (error) => process.exit(reportError(error, { asJson })));
  let code: number = EXIT.done;
  try {
    const program = await createProgram(words, (result) => (code = result));
    await program.parseAsync([...words], { from: 'user' });
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
