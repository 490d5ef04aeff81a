import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { KlausError, toKlausError } from '@klaus/core/protocol';
import { CommandOutput } from './command-output.ts';
import { pipePool } from './pipe-pool.ts';

/** Time between asking a tree to end and ending it. */
const GRACE_MS = 300;
/** A command that has not begun by then never will. */
const START_MS = 30_000;
/** Output may still be open after the end only where something outside holds it. */
const DRAIN_MS = 2_000;

/** How one driver starts and ends one command. */
export interface Launch {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** A process group of its own. Default false. */
  detached?: boolean;
  /**
   * Where the payload waits for the word `go`. `descriptor`: on descriptor 3, after it wrote one byte there, so
   * that the kernel's "end with your parent" is in force before the command runs. `stdin`: on standard input.
   * In both cases the end of the stream means that Klaus is gone.
   */
  gate: 'descriptor' | 'stdin';
  /** Contents of the descriptors from 4 on. */
  feeds?: readonly Uint8Array[];
  /** Called between "ready" and "go". */
  onReady?(pid: number): void;
  /** Asks everything to end. */
  terminate(pid: number): void;
  /** Ends everything, for certain. */
  kill(pid: number): void;
  /** Waits until nothing of the command is left. */
  settle?(): Promise<void>;
  /** True when exit code and error output say that the driver broke and not the command. Called after "go". */
  isDriverFailure?(exitCode: number | null, stderr: string): boolean;
}

export type SuperviseOptions = Pick<ExecRequest, 'stdin' | 'onOutput' | 'keepBytes' | 'signal'> & { timeoutMs: number };

export type Supervised = Omit<ExecResult, 'unenforced' | 'exceeded'>;

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Runs one command from start to end. Must be called on the main thread: the kernel ends children with the
 * *thread* that made them.
 *
 * @throws KlausError `sandbox.failed` when the driver breaks; rethrows what `onOutput` throws.
 */
export async function supervise(launch: Launch, options: SuperviseOptions): Promise<Supervised> {
  const started = performance.now();
  const output = new CommandOutput(options);
  if (options.signal?.aborted) {
    return { exitCode: null, signal: null, ...output.toResult(), timedOut: false, cancelled: true, durationMs: 0 };
  }
  const { child, streams } = await start(launch, options);
  // Undefined when the machine has no more descriptors; the spawn's own error says so.
  const gate = (launch.gate === 'stdin' ? child.stdin : child.stdio?.[3]) as Duplex | undefined;
  const state: { ending?: 'timeout' | 'cancel' | 'start'; exited: boolean; failure?: unknown } = { exited: false };
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));
  const end = (why: 'timeout' | 'cancel' | 'start') => {
    if (state.ending || state.exited || child.pid === undefined) return;
    state.ending = why;
    launch.terminate(child.pid);
    after(GRACE_MS, () => launch.kill(child.pid!));
  };
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      state.exited = true;
      // Whatever the command left behind loses its lifeline now.
      gate?.destroy();
      resolve({ code, signal });
    });
  });
  const drained = Promise.all([
    read(streams.stdout, (chunk) => output.write(chunk, 'stdout')),
    read(streams.stderr, (chunk) => output.write(chunk, 'stderr')),
  ]).catch((error: unknown) => {
    state.failure = error;
    end('cancel');
    streams.stdout.resume();
    streams.stderr.resume();
  });
  const onAbort = () => end('cancel');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    after(START_MS, () => end('start'));
    const isReady = await passGate(launch, { child, gate, exited });
    clearTimeout(timers[0]);
    if (isReady) {
      after(options.timeoutMs, () => end('timeout'));
      feedStdin(child.stdin, launch, options.stdin);
    }
    const exit = await exited;
    await within(DRAIN_MS, drained, () => [streams.stdout.destroy(), streams.stderr.destroy()]);
    await launch.settle?.();
    if (state.failure) throw state.failure;
    const result = output.toResult();
    if (state.ending === undefined && (!isReady || launch.isDriverFailure?.(exit.code, result.stderr))) {
      throw new KlausError('sandbox.failed', result.stderr.trim() || `${launch.file} ended before the command began`);
    }
    if (state.ending === 'start') throw new KlausError('sandbox.failed', `${launch.file} did not begin within 30 s`);
    return {
      exitCode: exit.code,
      signal: exit.signal,
      ...result,
      timedOut: state.ending === 'timeout',
      cancelled: state.ending === 'cancel',
      durationMs: performance.now() - started,
    };
  } catch (error) {
    if (error === state.failure) throw error;
    if (!state.exited && child.pid !== undefined) launch.kill(child.pid);
    throw toKlausError(error, 'sandbox.failed');
  } finally {
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    gate?.destroy();
  }
}

async function start(
  launch: Launch,
  options: SuperviseOptions,
): Promise<{ child: ChildProcess; streams: { stdout: Readable; stderr: Readable } }> {
  const pipes = { stdout: await pipePool.take(), stderr: await pipePool.take() };
  const takesStdin = launch.gate === 'stdin' || options.stdin !== undefined;
  try {
    const child = spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      detached: launch.detached ?? false,
      stdio: [
        takesStdin ? 'pipe' : 'ignore',
        pipes.stdout?.write ?? 'pipe',
        pipes.stderr?.write ?? 'pipe',
        ...(launch.gate === 'descriptor' ? (['pipe'] as const) : []),
        ...(launch.feeds ?? []).map(() => 'pipe' as const),
      ],
    });
    for (const [index, bytes] of (launch.feeds ?? []).entries()) {
      const feed = child.stdio?.[4 + index] as Writable | null | undefined;
      feed?.on('error', ignore);
      feed?.end(bytes);
    }
    const open = (read: number) => new Socket({ fd: read, readable: true, writable: false });
    return {
      child,
      streams: {
        stdout: pipes.stdout ? open(pipes.stdout.read) : child.stdout!,
        stderr: pipes.stderr ? open(pipes.stderr.read) : child.stderr!,
      },
    };
  } finally {
    // The child has its own copies; ours would keep the streams open for ever.
    if (pipes.stdout) closeSync(pipes.stdout.write);
    if (pipes.stderr) closeSync(pipes.stderr.write);
  }
}

/** False when the child ended before it was ready. */
async function passGate(
  launch: Launch,
  run: { child: ChildProcess; gate: Duplex | undefined; exited: Promise<Exit> },
): Promise<boolean> {
  const { child, gate, exited } = run;
  // Writing to a child that has just gone is an error that its exit already tells.
  if (!gate) return exited.then(() => false);
  gate.on('error', ignore);
  if (launch.gate === 'descriptor') {
    const ready = new Promise<boolean>((resolve) => {
      gate.once('data', () => resolve(true));
      gate.once('close', () => resolve(false));
    });
    const isReady = await Promise.race([ready, exited.then(() => false)]);
    if (!isReady) return false;
    launch.onReady?.(child.pid!);
  }
  gate.write('go\n');
  return true;
}

function feedStdin(stdin: Writable | null, launch: Launch, bytes: string | Uint8Array | undefined): void {
  if (launch.gate === 'stdin' || bytes === undefined || !stdin) return;
  // A command may end without reading all of its input.
  stdin.on('error', ignore);
  stdin.end(bytes);
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
