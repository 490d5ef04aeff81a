import { Writable, type Readable } from 'node:stream';
import type { V1Status } from '@kubernetes/client-node';
import { KlausError } from '@klaus/core/protocol';
import type { SpawnRequest } from '../process/waiting-command.ts';
import type { SupervisedCommand } from '../process/supervise.ts';
import type { PodStream } from './pod-stream.ts';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 300;
/** The exit code of a command that SIGKILL ended. */
const KILLED = 137;

export interface PodCommandOptions {
  stream: PodStream;
  /** The lines of the command, for `COMMAND_SCRIPT`. */
  script: string;
  /** Signals all processes of the pod. Never rejects. */
  signal: (word: 'term' | 'kill') => Promise<unknown>;
  /** Resolves when all processes of the command have ended, with the reason if the pod has ended too. Never rejects. */
  waitForEnd: () => Promise<string | undefined>;
}

/** One command in a pod, from the start of its process to its end. */
export class PodCommand implements SupervisedCommand {
  readonly request: Pick<SpawnRequest, 'startPipe' | 'waitForEnd'>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly stdin: Writable;
  ending: 'timeout' | 'cancel' | 'start' | undefined;
  readonly #options: PodCommandOptions;
  #status: V1Status | undefined;
  #hasExited = false;
  #lost: string | undefined;
  #timers: NodeJS.Timeout[] = [];
  #failure: { error: unknown } | undefined;

  constructor(options: PodCommandOptions) {
    const { stream } = options;
    this.#options = options;
    this.stdin = new Writable({
      write: (chunk: Buffer, _, done) => stream.write(chunk, done),
      final: (done) => {
        stream.endInput();
        done();
      },
    });
    // The end of the stream reports it.
    this.stdin.on('error', () => undefined);
    this.exited = stream.ended.then((status) => {
      this.#status = status;
      this.#hasExited = true;
      return { code: toExitCode(status) ?? (this.ending === undefined ? null : KILLED), signal: null };
    });
    this.request = {
      startPipe: 'stdin',
      waitForEnd: async () => {
        this.#lost = await options.waitForEnd();
      },
    };
  }

  openStreams(): { stdout: Readable; stderr: Readable } {
    return this.#options.stream;
  }

  /** Sends the script. False when the process ended before. */
  async signalStart(): Promise<boolean> {
    if (this.#hasExited || this.ending !== undefined) return false;
    const { script } = this.#options;
    this.stdin.write(`go\n${script.split('\n').length}\n${script}\n`);
    return true;
  }

  endAfter(ms: number, why: 'timeout' | 'start'): void {
    this.#timers.push(setTimeout(() => this.end(why), ms));
  }

  /** Terminates the command and kills it after a grace period. The first reason counts. */
  end(why: 'timeout' | 'cancel' | 'start'): void {
    if (this.ending !== undefined || this.#hasExited) return;
    this.ending = why;
    const { signal, stream } = this.#options;
    void signal('term');
    // The processes are dead after the second signal, also if the API server does not report it.
    this.#timers.push(setTimeout(() => void signal('kill').then(() => this.#closeAfter(stream)), GRACE_MS));
  }

  #closeAfter(stream: PodStream): void {
    if (!this.#hasExited) this.#timers.push(setTimeout(() => stream.close(), GRACE_MS));
  }

  /** Ends the command because of an internal error, which {@link check} then throws. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end('cancel');
  }

  /** @throws The error that {@link fail} received, or KlausError `sandbox.failed` when the pod or its connection failed. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
    if (this.ending !== undefined) return;
    if (this.#lost !== undefined) throw new KlausError('sandbox.failed', this.#lost);
    if (toExitCode(this.#status) !== null) return;
    const reason = this.#status?.message ?? 'the connection to the API server was lost';
    throw new KlausError('sandbox.failed', `The command did not end in its pod: ${reason}`);
  }

  /** Ends the process before its command begins. */
  async abandon(): Promise<void> {
    this.close();
    await this.exited;
  }

  close(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    this.#options.stream.close();
  }
}

/** Null if the process has no exit code. */
function toExitCode(status: V1Status | undefined): number | null {
  if (status?.status === 'Success') return 0;
  const cause = status?.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  return cause?.message === undefined || !/^\d+$/.test(cause.message) ? null : Number(cause.message);
}
