/** What is asked to go on by itself. */
export interface StartProcess {
  command: string;
  /** Absolute, inside the workspace. */
  cwd: string;
  survives: boolean;
  network: boolean;
  /** Milliseconds after which it is stopped. Default: never. */
  timeoutMs?: number | undefined;
  /** MiB. Default: that of the configuration. */
  memoryMb?: number | undefined;
}

/** What is known of a process before it begins. */
export interface ReserveProcess extends Omit<StartProcess, 'network' | 'memoryMb'> {
  workspace: string;
  /** The call that starts it, with its attempt. */
  call: string;
  attempt: number;
}

/** A background process, read from its files. */
export interface ProcessStatus {
  session: string;
  /** `p1`, `p2` and so on, in the order of their starts; never used twice in a session. */
  id: string;
  call: string;
  attempt: number;
  command: string;
  workspace: string;
  survives: boolean;
  /**
   * `unstarted`: nothing of it ever ran. `exited`: by itself. `stopped`: by somebody or something of Klaus, see
   * `reason`. `lost`: it is gone and nobody can say how it ended.
   */
  state: 'unstarted' | 'running' | 'exited' | 'stopped' | 'lost';
  /** 128 plus the signal's number where a signal ended it; null while it runs, and where it is not known. */
  exitCode: number | null;
  /** Why it was stopped or lost. */
  reason: string | null;
  /** First process of its sandbox as this machine counts; null before its start. */
  pid: number | null;
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds; null while it runs, and where it is not known. */
  endedAt: number | null;
  /** Bytes of output so far, both streams together, dropped ones included. */
  bytes: number;
  /** What was put right in the workspace at its end, as sentences. */
  warnings: readonly string[];
}

/** A stretch of what a process wrote. Offsets are bytes from the beginning of its output. */
export interface ProcessOutput {
  text: string;
  /** Where `text` begins: later than asked for when that part is not kept any more. */
  from: number;
  /** Where the next read goes on. */
  next: number;
}

/** What `wait` waits for: the end, a text in what is written from `from` on, or somebody listening on a TCP port. */
export type WaitFor = { kind: 'exit' } | { kind: 'text'; text: string; from: number } | { kind: 'port'; port: number };

/** The background processes of one session. Everything is in files: any Klaus can look, read and stop. */
export interface Processes {
  /** In the order of their starts. */
  list(): ProcessStatus[];
  /** Undefined when there is no such one. */
  find(id: string): ProcessStatus | undefined;
  /** Makes name and folder of a process that is about to be started; durable when it returns. */
  reserve(request: ReserveProcess): { id: string; folder: string };
  /**
   * The output from `from` on, at most `maxBytes` (default 60,000). Of a long output at least the first 4 MiB
   * and the last 4 MiB are kept, and never more than 24 MiB.
   *
   * @param options.lines Whole lines alone, but for one that is longer than `maxBytes`. Default false.
   */
  read(id: string, options: { from: number; maxBytes?: number; lines?: boolean }): ProcessOutput;
  /** What came true first. */
  wait(
    id: string,
    options: { until: WaitFor; timeoutMs: number; signal?: AbortSignal },
  ): Promise<'met' | 'ended' | 'late' | 'cancelled'>;
  /**
   * Writes to its standard input.
   *
   * @throws KlausError `tool.failed` when it has ended or takes nothing in.
   */
  send(id: string, text: string): Promise<void>;
  /**
   * Asks everything in its sandbox to end and, after `graceMs` (default 3,000), ends it. Resolves when nothing of it is
   * left. Never signals a process that is not of it, also when its numbers are in use again.
   *
   * @param options.reason Why, for the log.
   */
  stop(id: string, options: { reason: string; graceMs?: number }): Promise<ProcessStatus>;
  /**
   * For who has just taken the session: ends what another process started and did not mark to survive, waits for
   * what is between its intent and its start, and gives back what is not needed any more. Cheap without processes.
   *
   * @returns Folders of those that go on and are watched by nobody.
   */
  takeOver(): Promise<string[]>;
}
