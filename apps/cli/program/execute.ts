import { type Command, CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { OutputError, reportError } from './report-error.ts';
import { isEndOfPipe, outputFailure, watchStreams } from '../output/streams.ts';

/** Runs one command line and ends the process with its exit code. Never throws. */
export async function execute(words: readonly string[]): Promise<never> {
  watchStreams();
  const asJson = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  // Node would print the message of the error as it is.
  process.once('uncaughtException', (error) => process.exit(reportError(error, { asJson })));
  let code: number = EXIT.done;
  const program = createProgram((result) => (code = result), words[0]);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) code = EXIT.done;
    else if (isEndOfPipe(error)) code = EXIT.done;
    else code = reportError(error, { asJson, help: toHelp(program, words) });
  }
  await flush(process.stdout);
  const failure = outputFailure();
  if (failure !== undefined) code = reportError(new OutputError(failure), { asJson });
  await flush(process.stderr);
  // Whatever still holds the event loop, such as a keep-alive socket, is of no interest any more.
  process.exit(code);
}

/** Where the command of a wrong line is explained: `klaus run --help` for a prompt with options. */
function toHelp(program: Command, [word]: readonly string[]): string {
  if (word === undefined || word === 'help') return 'klaus --help';
  const isCommand = program.commands.some((command) => command.name() === word);
  return `klaus ${isCommand ? word : 'run'} --help`;
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // A stream that broke says so in a later turn of the event loop.
    if (stream.destroyed || !stream.writable) setImmediate(resolve);
    else stream.write('', () => setImmediate(resolve));
  });
}
