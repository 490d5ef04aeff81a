import type { CheckEnvironment, SandboxName } from '../../protocol/index.ts';
import type { MappedFolder } from './layer.ts';

export interface ExecLimits {
  /** Milliseconds; default 120,000. */
  timeoutMs: number;
  /** MiB; default 1,024. */
  memoryMb: number;
  /** Cores; default 1. */
  cpus: number;
  /** Default 256. */
  processes: number;
}

export interface ExecRequest {
  /** A line for `/bin/sh -c`, or a program with its arguments. */
  command: string | readonly string[];
  /** Absolute, inside the workspace. Default: the workspace. */
  cwd?: string;
  /** Added to the sandbox's own small environment. Nothing of Klaus's environment is inherited. */
  env?: Readonly<Record<string, string>>;
  /** Further absolute paths to bind at their own place. */
  binds?: readonly { path: string; writable: boolean }[];
  /**
   * Absolute path of a folder that is shown in the workspace's place, at the workspace's own path: the merged
   * folder of a layer, or a working copy. The workspace itself is then out of reach. Not on the host.
   */
  workspaceAt?: string;
  /** The same for folders of `writable`. With `workspaceAt`, those without a stand-in are only read. */
  besideAt?: readonly MappedFolder[];
  /**
   * Absolute paths in the workspace that this command must not change, beyond what the driver protects anyway.
   * One that does not exist stays away: nothing can be made there.
   */
  protect?: readonly string[];
  /**
   * Absolute paths in the workspace that the command may read, and write; nothing else of it is there. Absent: the
   * whole workspace. A driver that cannot narrow it refuses.
   */
  files?: { read: readonly string[]; write: readonly string[] };
  /**
   * Absolute paths of folders beside the workspace that the command may read, such as the repository around it. The
   * session's masks hold in them too.
   */
  readable?: readonly string[];
  /** Those of `readable` that the command may change too, where the driver can protect what it protects in a workspace. */
  writable?: readonly string[];
  /** Default false: no network at all. */
  network?: boolean;
  limits?: Partial<ExecLimits>;
  /**
   * Input; by default there is none. A promise: the command begins at once and waits for it where it reads; when it is
   * rejected, which the caller handles, the input ends. Docker waits for the promise before it starts the command.
   */
  stdin?: string | Uint8Array | Promise<string | Uint8Array>;
  /** Output as it comes, both streams in order of arrival. A chunk is read over after the call: copy what you keep. */
  onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** Called when the driver has done its part and the command begins; not for one that ends before. */
  onBegin?: () => void;
  /** Bytes of output kept in the result; what comes later still reaches `onOutput`. Default 1 MiB. */
  keepBytes?: number;
  signal?: AbortSignal;
}

export interface ExecResult {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Both streams in order of arrival. */
  output: string;
  /** True when more was written than was kept. */
  truncated: boolean;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  /** What the driver could not enforce, each with the reason, such as `cpus: no cgroup is writable`. */
  unenforced: readonly string[];
  /** Limits that the command ran into, such as `memory: a process was ended at the limit of 1024 MiB`. */
  exceeded?: readonly string[];
  /** Where the network is limited: what was asked for and not allowed, as `host:port`. */
  refusedHosts?: readonly string[];
  /** What the driver changed or hid beyond what was asked, each as a sentence for the user and the model. */
  warnings?: readonly string[];
}

/** What is known of a command before the command is. */
export type PrestartRequest = Omit<
  ExecRequest,
  'command' | 'cwd' | 'stdin' | 'onOutput' | 'onBegin' | 'keepBytes' | 'signal'
>;

/** A command that goes on by itself. */
export interface BackgroundRequest extends Pick<
  ExecRequest,
  'command' | 'cwd' | 'env' | 'files' | 'network' | 'protect' | 'readable' | 'signal' | 'writable'
> {
  /** Absolute path of a private folder that is there already, for output, input, ids and exit code. */
  folder: string;
  /** True: it goes on when Klaus ends. False: the end of this process ends it, however it comes. */
  survives: boolean;
  /** Without `timeoutMs` it may run for ever. */
  limits?: Partial<ExecLimits>;
}

/** Runs commands on the workspace. When it ends or is killed, so is everything that it started. */
export interface Sandbox {
  readonly name: SandboxName;
  /** @throws KlausError `sandbox.failed` when the driver itself breaks; a failing command is a result. */
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Makes ready what every command needs, ahead of the first. What fails here is told by that one. */
  warmUp?(): Promise<void>;
  /**
   * Makes the sandbox of a later command: an `exec` with the same request begins in it at once. It is compared again
   * then, and another one is made when anything has changed that would make a different one. Only the last one is kept.
   *
   * @returns Ends it unless a command has taken it; false when one has. To be called in any case: what a command that
   * took it held can stay for the next one. With another call of `prestart` first, that one gets it. Never throws: the
   * command's own start reports what is wrong.
   */
  prestart?(request: PrestartRequest): Promise<() => Promise<boolean>>;
  /**
   * Starts a command in the background, with the same walls as `exec`; resolves once it has begun. Absent where the
   * driver cannot.
   *
   * @throws KlausError `sandbox.failed`, `cancelled`; nothing of the command has run then.
   */
  start?(request: BackgroundRequest): Promise<void>;
  /**
   * What the exit code of a command that ran depends on, beside its words and the files that it checks. Absent where
   * the driver cannot tell.
   *
   * @param programs Names that are looked for on the path.
   * @param folders Relative to the workspace; configuration is looked for in these.
   */
  inspect?(programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment>;
  /**
   * Remembers files of the workspace, as they are now, for `inspect` in this and in later sessions: somebody put them
   * where checks load them.
   *
   * @param paths Relative to the workspace.
   */
  suspect?(paths: readonly string[]): Promise<void>;
  /** Takes up again what `start` watches over: a later Klaus has found the process. */
  attach?(folder: string): Promise<void>;
}
