import type { Readable, Writable } from 'node:stream';
import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { CommandOutput } from './command-output.ts';
import { spawnWaiting, type Launch, type WaitingCommand } from './waiting-command.ts';

/** Output may still be open after the end only where something outside holds it. */
const DRAIN_MS = 2_000;

export type SuperviseOptions = Pick<ExecRequest, 'stdin' | 'onOutput' | 'onBegin' | 'keepBytes' | 'signal'> & {
  timeoutMs: number;
};

export type Supervised = Omit<ExecResult, 'unenforced' | 'exceeded'>;

/**
 * Runs one command from start to end. Must be called on the main thread: the kernel ends children with the
 * *thread* that made them.
 *
 * @throws KlausError `sandbox.failed` when the driver breaks; rethrows what `onOutput` throws.
 */
export async function supervise(launch: Launch, options: SuperviseOptions): Promise<Supervised> {
  if (options.signal?.aborted) return toNotRun(options);
  return superviseWaiting(await spawnWaiting(launch, { takesStdin: options.stdin !== undefined }), options);
}

/** The same as {@link supervise}, for a process that is started already. Once for each. */
export async function superviseWaiting(command: WaitingCommand, options: SuperviseOptions): Promise<Supervised> {
  const { launch } = command;
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
  // An abort while the child was being made had no listener yet.
  if (options.signal?.aborted) onAbort();
  try {
    const isReady = await command.passGate();
    if (isReady) {
      options.onBegin?.();
      command.endAfter(options.timeoutMs, 'timeout');
      feedStdin(command.stdin, launch, options.stdin);
    }
    const exit = await command.exited;
    await within(DRAIN_MS, drained, () => [streams.stdout.destroy(), streams.stderr.destroy()]);
    await launch.settle?.();
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

function feedStdin(stdin: Writable | null, launch: Launch, input: ExecRequest['stdin']): void {
  if (launch.gate === 'stdin' || !stdin) return;
  // A command may end without reading all of its input.
  stdin.on('error', ignore);
  if (input instanceof Promise)
    input.then(
      (bytes) => stdin.end(bytes),
      () => stdin.destroy(),
    );
  else if (input === undefined) stdin.destroy();
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

async function within(ms: number, work: Promise<unknown>, otherwise: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      otherwise();
      resolve();
    }, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function ignore(): void {}
