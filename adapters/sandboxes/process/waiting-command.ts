import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable, type Duplex, type Writable } from 'node:stream';
import { KlausError, toKlausError } from '@klaus/core/protocol';
import { pipePool } from './pipe-pool.ts';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 300;
const START_MS = 30_000;

export interface SpawnRequest {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** A process group of its own. Default false. */
  detached?: boolean;
  /**
   * Where the process waits for `go`. `descriptor`: on descriptor 3, after it wrote one byte there, so that the kernel
   * ends it together with Klaus before the command runs. `stdin`: on standard input, whose rest is the input of the
   * command. In both cases the end of the stream instead of `go` means that Klaus has ended.
   */
  startPipe: 'descriptor' | 'stdin';
  /** Contents of the descriptors from 4 on. */
  feeds?: readonly Uint8Array[];
  /** Called when the process has started. Its promise is awaited before {@link onWaiting}. */
  onSpawn?(pid: number): Promise<void>;
  /** Called when the process waits for `go`. The command is ready when the promise resolves. */
  onWaiting?(pid: number): void | Promise<void>;
  /** Called just before `go`. */
  onReady?(pid: number): void;
  /** Lines that are sent after `go`, preceded by their number. */
  script?: string;
  /** Sends SIGTERM to all processes of the command. */
  terminate(pid: number): void;
  kill(pid: number): void;
  /** Resolves when all processes of the command have ended. */
  waitForEnd?(): Promise<void>;
  /** True when exit code and error output show that the driver failed, and not the command. Called after `go`. */
  isDriverFailure?(exitCode: number | null, stderr: string): boolean;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface StartOptions {
  takesStdin: boolean;
  /** True: the process has the standard streams of this one. Default false. */
  inherits?: boolean;
}

export async function spawnWaiting(request: SpawnRequest, options: StartOptions): Promise<WaitingCommand> {
  const { child, outputs } = await start(request, options);
  return new WaitingCommand(request, child, outputs);
}

/** The child process of one command, from its start to its end. */
export class WaitingCommand {
  readonly request: SpawnRequest;
  readonly exited: Promise<Exit>;
  /** Resolves when the process waits for `go`; false when it ended before. */
  readonly ready: Promise<boolean>;
  ending: 'timeout' | 'cancel' | 'start' | undefined;
  readonly #child: ChildProcess;
  /** Null once opened as streams, or closed. */
  #outputs: Outputs | null;
  /** Undefined when no descriptor was left, which the error of the spawn reports. */
  readonly #startPipe: Duplex | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #killTimer: NodeJS.Timeout | undefined;
  #hasExited = false;
  #failure: { error: unknown } | undefined;

  constructor(request: SpawnRequest, child: ChildProcess, outputs: Outputs) {
    this.request = request;
    this.#child = child;
    this.#outputs = outputs;
    this.#startPipe = (request.startPipe === 'stdin' ? child.stdin : child.stdio?.[3]) as Duplex | undefined;
    // The exit of the child already reports that it has ended.
    this.#startPipe?.on('error', ignore);
    this.exited = new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.#hasExited = true;
        reject(toKlausError(error, 'sandbox.failed'));
      });
      child.once('exit', (code, signal) => {
        this.#hasExited = true;
        // Remaining processes of the command end when this stream ends.
        this.#startPipe?.destroy();
        resolve({ code, signal });
      });
    });
    // The caller that runs the command gets the error. A command that never runs must not cause an unhandled rejection.
    this.exited.catch(ignore);
    this.endAfter(START_MS, 'start');
    this.ready = this.#waitUntilReady().finally(() => this.#clearTimers());
    this.ready.catch(ignore);
  }

  get stdin(): Writable | null {
    return this.#child.stdin;
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  async #waitUntilReady(): Promise<boolean> {
    const pipe = this.#startPipe;
    if (!pipe || this.request.startPipe !== 'descriptor') return true;
    const ready = new Promise<boolean>((resolve) => {
      pipe.once('data', () => resolve(true));
      pipe.once('close', () => resolve(false));
    });
    const { pid } = this.#child;
    const begun = pid === undefined ? undefined : this.request.onSpawn?.(pid);
    if (!(await Promise.race([ready, this.exited.then(() => false)]))) return false;
    await begun;
    await this.request.onWaiting?.(pid!);
    return !this.#hasExited;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** False: it does not keep this process running. Default true. */
  hold(isHeld: boolean): void {
    const outputs = this.#outputs ? [this.#outputs.stdout, this.#outputs.stderr] : [];
    for (const each of [this.#child, this.#startPipe, ...outputs] as (Partial<Socket> | number | undefined)[])
      if (typeof each === 'object') (isHeld ? each.ref : each.unref)?.call(each);
  }

  /** The output streams. Call once; nothing is read before. */
  openStreams(): { stdout: Readable; stderr: Readable } {
    const { stdout, stderr } = this.#outputs!;
    this.#outputs = null;
    const open = (output: number | Readable) => (typeof output === 'number' ? openOutput(output) : output);
    return { stdout: open(stdout), stderr: open(stderr) };
  }

  /** Sends `go`. False when the process ended before it was ready. */
  async signalStart(): Promise<boolean> {
    const pipe = this.#startPipe;
    if (!(await this.ready) || this.#hasExited) return false;
    if (this.request.startPipe === 'descriptor') this.request.onReady?.(this.#child.pid!);
    if (this.ending !== undefined) {
      // The command was ended before it began: closing the stream ends the process.
      pipe?.destroy();
      return false;
    }
    const { script } = this.request;
    pipe?.write(script === undefined ? 'go\n' : `go\n${script.split('\n').length}\n${script}\n`);
    return pipe !== undefined;
  }

  endAfter(ms: number, why: 'timeout' | 'start'): void {
    this.#timers.push(setTimeout(() => this.end(why), ms));
  }

  /** Terminates the command and kills it after a grace period. The first reason counts. */
  end(why: 'timeout' | 'cancel' | 'start'): void {
    const { pid } = this.#child;
    if (this.ending !== undefined || this.#hasExited || pid === undefined) return;
    this.ending = why;
    this.request.terminate(pid);
    this.#killTimer = setTimeout(() => this.request.kill(pid), GRACE_MS);
  }

  /** Ends the command because of an internal error, which {@link check} then throws. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end('cancel');
  }

  /** @throws The error that {@link fail} received, or KlausError `sandbox.failed` when the driver failed. */
  check(exit: Exit, seen: { isReady: boolean; stderr: string }): void {
    if (this.#failure) throw this.#failure.error;
    const { file } = this.request;
    if (this.ending === 'start') throw new KlausError('sandbox.failed', `${file} did not start within 30 seconds.`);
    if (this.ending !== undefined) return;
    if (!seen.isReady || this.request.isDriverFailure?.(exit.code, seen.stderr)) {
      throw new KlausError('sandbox.failed', seen.stderr.trim() || `${file} ended before the command began`);
    }
  }

  /**
   * Ends the process before its command begins. Waits until it is ready, because a program that is killed while it
   * creates the sandbox leaves processes behind.
   */
  async abandon(): Promise<void> {
    await this.ready.catch(ignore);
    this.close();
    await this.exited.catch(ignore);
  }

  /** Kills the remaining processes and closes all streams. */
  close(): void {
    this.#clearTimers();
    clearTimeout(this.#killTimer);
    if (!this.#hasExited && this.#child.pid !== undefined) this.request.kill(this.#child.pid);
    this.#startPipe?.destroy();
    for (const output of this.#outputs ? [this.#outputs.stdout, this.#outputs.stderr] : [])
      if (typeof output === 'number') closeSync(output);
      else output.destroy();
    this.#outputs = null;
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}

/** Descriptors of pipes, or streams where there are no pipes. */
interface Outputs {
  stdout: number | Readable;
  stderr: number | Readable;
}

async function start(request: SpawnRequest, options: StartOptions): Promise<{ child: ChildProcess; outputs: Outputs }> {
  const { inherits = false } = options;
  const take = async () => (inherits ? undefined : pipePool.take());
  const pipes = { stdout: await take(), stderr: await take() };
  const output = inherits ? 'inherit' : 'pipe';
  const takesStdin = request.startPipe === 'stdin' || options.takesStdin;
  try {
    const child = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: request.env,
      detached: request.detached ?? false,
      stdio: [
        inherits ? 'inherit' : takesStdin ? 'pipe' : 'ignore',
        pipes.stdout?.write ?? output,
        pipes.stderr?.write ?? output,
        ...(request.startPipe === 'descriptor' ? (['pipe'] as const) : []),
        ...(request.feeds ?? []).map(() => 'pipe' as const),
      ],
    });
    for (const [index, bytes] of (request.feeds ?? []).entries()) {
      const feed = child.stdio?.[4 + index] as Writable | null | undefined;
      feed?.on('error', ignore);
      feed?.end(bytes);
    }
    return {
      child,
      outputs: {
        stdout: pipes.stdout?.read ?? child.stdout ?? Readable.from([]),
        stderr: pipes.stderr?.read ?? child.stderr ?? Readable.from([]),
      },
    };
  } finally {
    // The child has its own copies. Open copies here would prevent the end of the streams.
    if (pipes.stdout) closeSync(pipes.stdout.write);
    if (pipes.stderr) closeSync(pipes.stderr.write);
  }
}

const READ_BYTES = 65_536;
let readBuffer: Uint8Array | undefined;

/**
 * Reads a pipe into a shared buffer. `data` events emit a view of it, which listeners have to copy. With a new buffer for
 * every read, 20 MB of output would leave 20 MB of garbage.
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

function ignore(): void {}
