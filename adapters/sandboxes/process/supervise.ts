import { Readable, type Writable } from 'node:stream';
import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { CommandOutput } from './command-output.ts';
import type { SpawnRequest, WaitingCommand } from './waiting-command.ts';

/** Time to wait for the end of the output after the exit: a process outside the sandbox may hold it open. */
const DRAIN_MS = 2_000;

export type SuperviseOptions = Pick<ExecRequest, 'stdin' | 'onOutput' | 'onBegin' | 'keepBytes' | 'signal'> & {
  timeoutMs: number;
};

/** What a command of any driver is to its supervisor. */
export type SupervisedCommand = { request: Pick<SpawnRequest, 'startPipe' | 'waitForEnd'> } & Pick<
  WaitingCommand,
  | 'abandon'
  | 'check'
  | 'close'
  | 'end'
  | 'endAfter'
  | 'ending'
  | 'exited'
  | 'fail'
  | 'openStreams'
  | 'signalStart'
  | 'stdin'
>;

export type Supervised = Omit<ExecResult, 'unenforced' | 'exceeded'>;

/**
 * Runs one started command to its end. Call it once for each command, on the main thread: the kernel ends children
 * together with the *thread* that created them.
 *
 * @throws KlausError `sandbox.failed` when the driver fails; rethrows errors of `onOutput`.
 */
export async function supervise(command: SupervisedCommand, options: SuperviseOptions): Promise<Supervised> {
  const { request } = command;
  if (options.signal?.aborted) {
    await command.abandon();
    return toNotRun(options);
  }
  const output = new CommandOutput(options);
  const started = performance.now();
  const streams = command.openStreams();
  const drained = Promise.all([
    read(streams.stdout, (chunk) => output.write(chunk, 'stdout')),
    read(streams.stderr, (chunk) => output.write(chunk, 'stderr')),
  ]).catch((error: unknown) => command.fail(error));
  const onAbort = () => command.end('cancel');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  // The signal may have fired before the listener was added.
  if (options.signal?.aborted) onAbort();
  try {
    const isReady = await command.signalStart();
    if (isReady) {
      options.onBegin?.();
      command.endAfter(options.timeoutMs, 'timeout');
      feedStdin(command.stdin, request, options.stdin);
    }
    const exit = await command.exited;
    // Destroying the streams ends the wait.
    const late = setTimeout(() => [streams.stdout.destroy(), streams.stderr.destroy()], DRAIN_MS);
    await drained;
    clearTimeout(late);
    await request.waitForEnd?.();
    const result = output.toResult();
    command.check(exit, { isReady, stderr: result.stderr });
    const timedOut = command.ending === 'timeout';
    const cancelled = command.ending === 'cancel';
    const durationMs = performance.now() - started;
    return { exitCode: exit.code, signal: exit.signal, ...result, timedOut, cancelled, durationMs };
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    command.close();
  }
}

function toNotRun(options: SuperviseOptions): Supervised {
  const output = new CommandOutput(options);
  return { exitCode: null, signal: null, ...output.toResult(), timedOut: false, cancelled: true, durationMs: 0 };
}

function feedStdin(
  stdin: Writable | null,
  request: Pick<SpawnRequest, 'startPipe'>,
  input: ExecRequest['stdin'],
): void {
  // The start pipe stays open for a command without input: its end would mean that Klaus has ended.
  if (!stdin || (request.startPipe === 'stdin' && input === undefined)) return;
  // A command may end without reading all of its input.
  stdin.on('error', ignore);
  if (input instanceof Promise)
    input.then(
      (bytes) => stdin.end(bytes),
      () => stdin.destroy(),
    );
  else if (input === undefined) stdin.destroy();
  else if (typeof input === 'object' && Symbol.asyncIterator in input) Readable.from(input).pipe(stdin);
  else stdin.end(input);
}

function read(stream: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Uint8Array) => {
      try {
        onChunk(chunk);
      } catch (error) {
        reject(error);
      }
    });
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
  });
}

function ignore(): void {}
