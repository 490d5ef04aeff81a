/** A request to start a background process. */
export interface StartProcess {
  command: string;
  /** Absolute, inside the workspace. */
  cwd: string;
  survives: boolean;
  network: boolean;
  /** Milliseconds after which it is stopped. Default: never. */
  timeoutMs?: number;
  /** MiB. Default: that of the configuration. */
  memoryMb?: number;
}

/** The data of a process before its start. */
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
   * `unstarted`: it never ran. `exited`: it ended without a request. `stopped`: a user or Klaus stopped it, see
   * `reason`. `lost`: it ended and its exit code is unknown.
   */
  state: 'unstarted' | 'running' | 'exited' | 'stopped' | 'lost';
  /** 128 plus the signal's number if a signal ended it; null while it runs, and if it is unknown. */
  exitCode: number | null;
  /** Why it was stopped or lost. */
  reason: string | null;
  /** Process id of the sandbox's first process; null before its start. */
  pid: number | null;
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds; null while it runs, and if it is unknown. */
  endedAt: number | null;
  /** Bytes of output so far, both streams together, including dropped ones. */
  bytes: number;
  /** Repairs in the workspace at its end, as sentences. */
  warnings: readonly string[];
}

/** A part of the output of a process. Offsets are bytes from the beginning of its output. */
export interface ProcessOutput {
  text: string;
  /** Offset of `text`: later than requested if that part is no longer stored. */
  from: number;
  /** Offset of the next read. */
  next: number;
}

/** What `wait` waits for: the end, a text in the output from `from` on, or a listener on a TCP port. */
export type WaitFor = { kind: 'exit' } | { kind: 'text'; text: string; from: number } | { kind: 'port'; port: number };

/** The background processes of one session. All data is in files, so that every Klaus process can read and stop them. */
export interface Processes {
  /** In the order of their starts. */
  list(): ProcessStatus[];
  /** Undefined if there is no such process. */
  find(id: string): ProcessStatus | undefined;
  /** Creates the id and the folder of a process before its start; durable when it returns. */
  reserve(request: ReserveProcess): { id: string; folder: string };
  /**
   * The output from `from` on, at most `maxBytes` (default 60,000). Of a long output at least the first 4 MiB and the
   * last 4 MiB are stored, and never more than 24 MiB.
   *
   * @param options.lines Only complete lines, except one that is longer than `maxBytes`. Default false.
   */
  read(id: string, options: { from: number; maxBytes?: number; lines?: boolean }): ProcessOutput;
  /** Returns the condition that was met first. */
  wait(
    id: string,
    options: { until: WaitFor; timeoutMs: number; signal?: AbortSignal },
  ): Promise<'met' | 'ended' | 'late' | 'cancelled'>;
  /** Writes to its standard input. @throws KlausError `tool.failed` if it has ended or reads no input. */
  send(id: string, text: string): Promise<void>;
  /**
   * Terminates all processes in its sandbox, and kills them after `graceMs` (default 3,000). Resolves when all have
   * ended. Never signals another process, also if its process ids are reused.
   *
   * @param options.reason Why, for the log.
   */
  stop(id: string, options: { reason: string; graceMs?: number }): Promise<ProcessStatus>;
  /**
   * Takes over the processes of a former holder of the session: ends those that do not survive, waits for those that are
   * being started, and removes files that are no longer needed. Fast without processes.
   *
   * @returns Folders of surviving processes that no Klaus process monitors.
   */
  takeOver(): Promise<string[]>;
}
