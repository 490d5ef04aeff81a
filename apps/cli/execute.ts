import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';
import { isEndOfPipe, watchStreams } from './streams.ts';

/** Runs one command line and ends the process with its exit code. Never throws. */
export async function execute(words: readonly string[]): Promise<never> {
  watchStreams();
  const asJson = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  let code: number = EXIT.done;
  try {
    const program = createProgram((result) => (code = result));
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) code = EXIT.done;
    else if (isEndOfPipe(error)) code = EXIT.done;
    else code = reportError(error, { asJson });
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // Whatever still holds the event loop, such as a keep-alive socket, is of no interest any more.
  process.exit(code);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
