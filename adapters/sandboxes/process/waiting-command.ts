import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { KlausError, toKlausError } from '@klaus/core/protocol';
import { pipePool } from './pipe-pool.ts';

/** Time between asking a tree to end and ending it. */
const GRACE_MS = 300;
/** A command that has not begun by then never will. */
const START_MS = 30_000;

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
  /** Called when the process has begun; what it returns is waited for before {@link onWaiting}. */
  onSpawn?(pid: number): Promise<void>;
  /** Called when it waits at its gate. It is ready when this is done. */
  onWaiting?(pid: number): void | Promise<void>;
  /** Called just before "go". */
  onReady?(pid: number): void;
  /** Lines for the payload, written behind "go" with their number before them. Only for `descriptor`. */
  script?: string | undefined;
  /** Asks everything to end. */
  terminate(pid: number): void;
  /** Ends everything, for certain. */
  kill(pid: number): void;
  /** Waits until nothing of the command is left. */
  settle?(): Promise<void>;
  /** True when exit code and error output say that the driver broke and not the command. Called after "go". */
  isDriverFailure?(exitCode: number | null, stderr: string): boolean;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Starts the process of a command and leaves it waiting at its gate. Nothing of the command runs before "go". */
export async function spawnWaiting(launch: Launch, options: { takesStdin: boolean }): Promise<WaitingCommand> {
  return new WaitingCommand(launch, await start(launch, options));
}

/** The child process of one command, from its start to its end. */
export class WaitingCommand {
  readonly launch: Launch;
  readonly exited: Promise<Exit>;
  /** Resolves when it waits at its gate; false when it ended before. */
  readonly ready: Promise<boolean>;
  /** Why it was ended, if it was. */
  ending: 'timeout' | 'cancel' | 'start' | undefined;
  readonly #child: ChildProcess;
  /** Null once they are streams, or closed. */
  #outputs: Outputs | null;
  /** Undefined when the machine has no more descriptors; the spawn's own error says so. */
  readonly #gate: Duplex | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #killTimer: NodeJS.Timeout | undefined;
  #hasExited = false;
  #failure: { error: unknown } | undefined;

  constructor(launch: Launch, { child, outputs }: Started) {
    this.launch = launch;
    this.#child = child;
    this.#outputs = outputs;
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
    // Whoever runs it hears of it; nobody does of one that is never run.
    this.exited.catch(ignore);
    this.endAfter(START_MS, 'start');
    this.ready = this.#waitForGate().finally(() => this.#clearTimers());
    this.ready.catch(ignore);
  }

  get stdin(): Writable | null {
    return this.#child.stdin;
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  async #waitForGate(): Promise<boolean> {
    const gate = this.#gate;
    if (!gate || this.launch.gate !== 'descriptor') return true;
    const ready = new Promise<boolean>((resolve) => {
      gate.once('data', () => resolve(true));
      gate.once('close', () => resolve(false));
    });
    const { pid } = this.#child;
    const begun = pid === undefined ? undefined : this.launch.onSpawn?.(pid);
    if (!(await Promise.race([ready, this.exited.then(() => false)]))) return false;
    await begun;
    await this.launch.onWaiting?.(pid!);
    return !this.#hasExited;
  }

  /** What it writes; nothing is read before. Once. */
  openStreams(): { stdout: Readable; stderr: Readable } {
    const { stdout, stderr } = this.#outputs!;
    this.#outputs = null;
    const open = (output: number | Readable) => (typeof output === 'number' ? openOutput(output) : output);
    return { stdout: open(stdout), stderr: open(stderr) };
  }

  /** False when the child ended before it was ready. */
  async passGate(): Promise<boolean> {
    const gate = this.#gate;
    if (!(await this.ready) || this.#hasExited) return false;
    if (this.launch.gate === 'descriptor') this.launch.onReady?.(this.#child.pid!);
    if (this.ending !== undefined) {
      // It was ended before it began: the end of the stream, and nothing of it has run.
      gate?.destroy();
      return false;
    }
    const { script } = this.launch;
    gate?.write(script === undefined ? 'go\n' : `go\n${script.split('\n').length}\n${script}\n`);
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
    this.launch.terminate(pid);
    this.#killTimer = setTimeout(() => this.launch.kill(pid), GRACE_MS);
  }

  /** Ends it because of an error of ours, which {@link check} then throws. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end('cancel');
  }

  /** @throws what {@link fail} was given, or KlausError `sandbox.failed` when the driver broke. */
  check(exit: Exit, seen: { isReady: boolean; stderr: string }): void {
    if (this.#failure) throw this.#failure.error;
    const { file } = this.launch;
    if (this.ending === 'start') throw new KlausError('sandbox.failed', `${file} did not begin within 30 s`);
    if (this.ending !== undefined) return;
    if (!seen.isReady || this.launch.isDriverFailure?.(exit.code, seen.stderr)) {
      throw new KlausError('sandbox.failed', seen.stderr.trim() || `${file} ended before the command began`);
    }
  }

  /**
   * Ends it before its command has begun. Not before it waits at its gate: a program that is killed while it makes
   * the sandbox leaves the half of it that it has just started.
   */
  async abandon(): Promise<void> {
    await this.ready.catch(ignore);
    this.close();
    await this.exited.catch(ignore);
  }

  /** Lets go of everything; what still runs is ended. */
  close(): void {
    this.#clearTimers();
    clearTimeout(this.#killTimer);
    if (!this.#hasExited && this.#child.pid !== undefined) this.launch.kill(this.#child.pid);
    this.#gate?.destroy();
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

interface Started {
  child: ChildProcess;
  outputs: Outputs;
}

async function start(launch: Launch, options: { takesStdin: boolean }): Promise<Started> {
  const pipes = { stdout: await pipePool.take(), stderr: await pipePool.take() };
  const takesStdin = launch.gate === 'stdin' || options.takesStdin;
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
      outputs: { stdout: pipes.stdout?.read ?? child.stdout!, stderr: pipes.stderr?.read ?? child.stderr! },
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

function ignore(): void {}
