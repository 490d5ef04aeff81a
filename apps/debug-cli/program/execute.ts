import { PROTOCOL_VERSION, type Summary } from 'klendathu/contract';
import { HELP, readArguments, type Arguments } from './arguments.ts';
import { CliFailure, toCliFailure, toExitCode } from './cli-failure.ts';
import { readInput } from './read-input.ts';
import { openStatus, type Status } from './status.ts';
import { createStop } from './stop.ts';
import type { Outcome } from './investigate.ts';

/** Milliseconds for a reader of standard output. */
const FLUSH_MS = 5_000;
/** Milliseconds from a cancel to the end of the program, also if a part of it hangs. */
const LEAVE_MS = 15_000;

/** Runs one command line and ends the process with its exit code. Never throws. */
export async function execute(words: readonly string[]): Promise<never> {
  const status = openStatus();
  let code = 0;
  let isEnding = false;
  const end = (failure: CliFailure): void => {
    // Only once: the report of a failure may itself fail.
    if (isEnding) process.exit(toExitCode(failure.code));
    isEnding = true;
    status.fail(failure);
    status.end({ turns: 0, cost: 0, finishReason: toFinishReason(failure), warnings: [...status.warnings] });
    process.exit(toExitCode(failure.code));
  };
  process.on('uncaughtException', (error) => end(toCliFailure(error)));
  // The report is lost, and the run is not: its end is in the log and on standard error.
  process.stdout.on('error', () => {});
  const stop = createStop(() => end(new CliFailure('cancelled', 'It was cancelled twice, and ended at once.')));
  const leave = (): void => end(stop.signal.reason as CliFailure);
  stop.signal.addEventListener('abort', () => setTimeout(leave, LEAVE_MS));
  try {
    const given = readArguments(words);
    const text = toConstant(given, await import('@klaus/sdk/version'));
    if (text === undefined) code = await run(given, status, stop);
    else await print(text);
  } catch (error) {
    end(toCliFailure(error));
  }
  process.exit(code);
}

function toConstant(given: Arguments, { VERSION }: { VERSION: string }): string | undefined {
  if (given.isHelp) return HELP;
  if (given.isVersion) return `${VERSION}\n`;
  return given.isProtocol ? `${PROTOCOL_VERSION}\n` : undefined;
}

async function run(given: Arguments, status: Status, stop: ReturnType<typeof createStop>): Promise<number> {
  const input = await readInput(stop.signal);
  stop.start(input.timeoutMs);
  const { investigate } = await import('./investigate.ts');
  const { stats, session, findings, failure }: Outcome = await investigate(input, {
    given,
    status,
    signal: stop.signal,
  });
  stop.close();
  if (failure) status.fail(failure);
  const summary: Omit<Summary, 'type' | 'timestamp'> = {
    ...stats,
    finishReason: failure ? toFinishReason(failure) : 'completed',
    ...(status.warnings.length > 0 ? { warnings: [...status.warnings] } : {}),
    session,
  };
  if (findings) await print(`${given.json ? JSON.stringify({ ...findings, stats: summary }) : findings.text}\n`);
  status.end(summary);
  return failure ? toExitCode(failure.code) : 0;
}

function toFinishReason({ code }: CliFailure): string {
  return code === 'cancelled' || code === 'timeout' || code === 'limit' ? code : 'error';
}

/** Resolves when the reader has the text, and also if it does not read. */
function print(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdout.write(text, () => resolve());
  setTimeout(resolve, FLUSH_MS).unref();
  return promise;
}
