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
  /** Called when the process has begun; what it returns is waited for before {@link onReady}. */
  onSpawn?(pid: number): Promise<void>;
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

export type SuperviseOptions = Pick<ExecRequest, 'stdin' | 'onOutput' | 'onBegin' | 'keepBytes' | 'signal'> & {
  timeoutMs: number;
};

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
  const output = new CommandOutput(options);
  if (options.signal?.aborted) {
    return { exitCode: null, signal: null, ...output.toResult(), timedOut: false, cancelled: true, durationMs: 0 };
  }
  const started = performance.now();
  const { child, streams } = await start(launch, options);
  const command = new RunningCommand(launch, child);
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
      feedStdin(child.stdin, launch, options.stdin);
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

/** The child process of one command, from its start to its end. */
class RunningCommand {
  readonly exited: Promise<Exit>;
  /** Why it was ended, if it was. */
  ending: 'timeout' | 'cancel' | 'start' | undefined;
  readonly #launch: Launch;
  readonly #child: ChildProcess;
  /** Undefined when the machine has no more descriptors; the spawn's own error says so. */
  readonly #gate: Duplex | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #killTimer: NodeJS.Timeout | undefined;
  #hasExited = false;
  #failure: { error: unknown } | undefined;

  constructor(launch: Launch, child: ChildProcess) {
    this.#launch = launch;
    this.#child = child;
    this.#gate = (launch.gate === 'stdin' ? child.stdin : child.stdio?.[3]) as Duplex | undefined;
    // Writing to a child that has just gone is an error that its exit already tells.
    this.#gate?.on('error', ignore);
    this.exited = new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.#hasExited = true;
        reject(toKlausError(error, 'sandbox.failed'));
      });
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        // Whatever the command left behind loses its lifeline now.
        this.#gate?.destroy();
        resolve({ code, signal });
      });
    });
  }

  /** False when the child ended before it was ready. */
  async passGate(): Promise<boolean> {
    this.endAfter(START_MS, 'start');
    const gate = this.#gate;
    if (gate && this.#launch.gate === 'descriptor') {
      const ready = new Promise<boolean>((resolve) => {
        gate.once('data', () => resolve(true));
        gate.once('close', () => resolve(false));
      });
      const { pid } = this.#child;
      const begun = pid === undefined ? undefined : this.#launch.onSpawn?.(pid);
      if (!(await Promise.race([ready, this.exited.then(() => false)]))) return false;
      await begun;
      this.#launch.onReady?.(this.#child.pid!);
    }
    this.#clearTimers();
    if (this.ending !== undefined) {
      // It was ended before it began: the end of the stream, and nothing of it has run.
      gate?.destroy();
      return false;
    }
    gate?.write('go\n');
    return gate !== undefined;
  }

  endAfter(ms: number, why: 'timeout' | 'start'): void {
    this.#timers.push(setTimeout(() => this.end(why), ms));
  }

  /** Asks it to end and, a moment later, ends it. The first reason counts. */
  end(why: 'timeout' | 'cancel' | 'start'): void {
    const { pid } = this.#child;
    if (this.ending !== undefined || this.#hasExited || pid === undefined) return;
    this.ending = why;
    this.#launch.terminate(pid);
    this.#killTimer = setTimeout(() => this.#launch.kill(pid), GRACE_MS);
  }

  /** Ends it because of an error of ours, which {@link check} then throws. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end('cancel');
  }

  /** @throws what {@link fail} was given, or KlausError `sandbox.failed` when the driver broke. */
  check(exit: Exit, seen: { isReady: boolean; stderr: string }): void {
    if (this.#failure) throw this.#failure.error;
    const { file } = this.#launch;
    if (this.ending === 'start') throw new KlausError('sandbox.failed', `${file} did not begin within 30 s`);
    if (this.ending !== undefined) return;
    if (!seen.isReady || this.#launch.isDriverFailure?.(exit.code, seen.stderr)) {
      throw new KlausError('sandbox.failed', seen.stderr.trim() || `${file} ended before the command began`);
    }
  }

  /** Lets go of everything; what still runs is ended. */
  close(): void {
    this.#clearTimers();
    clearTimeout(this.#killTimer);
    if (!this.#hasExited && this.#child.pid !== undefined) this.#launch.kill(this.#child.pid);
    this.#gate?.destroy();
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
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
    return {
      child,
      streams: {
        stdout: pipes.stdout ? openOutput(pipes.stdout.read) : child.stdout!,
        stderr: pipes.stderr ? openOutput(pipes.stderr.read) : child.stderr!,
      },
    };
  } finally {
    // The child has its own copies; ours would keep the streams open for ever.
    if (pipes.stdout) closeSync(pipes.stdout.write);
    if (pipes.stderr) closeSync(pipes.stderr.write);
  }
}

/** What a pipe holds. */
const READ_BYTES = 65_536;
let readBuffer: Uint8Array | undefined;

/**
 * Reads a pipe into one buffer for all, which `data` gives a view of: whoever wants to keep something copies it.
 * With a buffer of its own for every read, 20 MB of output would leave 20 MB to be collected.
 */
function openOutput(read: number): Readable {
  const buffer = (readBuffer ??= new Uint8Array(READ_BYTES));
  const stream = new Socket({
    fd: read,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        stream.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  });
  return stream;
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
