import type { LimitedNetwork } from '../../policy/index.ts';
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

/** A server on this machine that a command without a network reaches at a port of its loopback interface. */
export interface Relay {
  /** Absolute path of a folder on this machine that the command can read. */
  readonly folder: string;
  /**
   * Serves connections until the end of the command.
   *
   * @param listener A listening socket in the network of the command, as `net.Server.listen` accepts it. Absent: a socket
   *   in the folder, to which a program in the sandbox passes connections; it exists when the promise resolves.
   */
  serve(listener?: unknown): Promise<void>;
}

/** A shell of commands. */
export type CommandShell = 'bash' | 'sh';

export interface ExecRequest {
  /** A line for the shell, or a program with its arguments. */
  command: string | readonly string[];
  /** The shell for a line. `bash`: where it is installed, otherwise `sh`. Default `bash`. */
  shell?: CommandShell;
  /** True: standard error is written to standard output, so that both are in the order in which they were written. */
  merged?: boolean;
  /** Absolute, inside the workspace. Default: the workspace. */
  cwd?: string;
  /** Added to the sandbox's own small environment. Nothing of Klaus's environment is inherited. */
  env?: Readonly<Record<string, string>>;
  /** Absolute paths of files and folders to bind at the same path. */
  binds?: readonly { path: string; writable: boolean }[];
  /**
   * Absolute path of a folder that is mounted at the workspace's path: the merged folder of a layer, or a working copy.
   * The workspace itself is then not accessible. Not on the host.
   */
  workspaceAt?: string;
  /** The same for folders of `writable`. With `workspaceAt`, the others are read-only. */
  besideAt?: readonly MappedFolder[];
  /** Further absolute paths that this command must not change. A path that does not exist cannot be created. */
  protect?: readonly string[];
  /**
   * Absolute paths in the workspace that the command may read or write; others do not exist for it. Absent: all. A driver
   * that does not support this refuses the command.
   */
  files?: { read: readonly string[]; write: readonly string[] };
  /**
   * True: the command changes nothing in these folders, so that a driver can show them read-only, which needs less
   * preparation. Default false.
   */
  onlyReads?: boolean;
  /** Absolute paths of readable folders outside the workspace. The session's masks apply to them too. */
  readable?: readonly string[];
  /** Folders of `readable` that the command may change, if the driver can protect them like a workspace. */
  writable?: readonly string[];
  /**
   * True: every host. Hosts: only these, at addresses that were checked, through a proxy in the network of this command
   * alone; a driver that cannot do this refuses the command. Default false: no network at all.
   */
  network?: boolean | LimitedNetwork;
  /** The only connection of a command without a network. Bubblewrap only. */
  relay?: Relay;
  /**
   * True: the command has the standard streams of this process, and its terminal. Nothing of its output is in the
   * result. Not with Docker. Default false.
   */
  inherits?: boolean;
  limits?: Partial<ExecLimits>;
  /**
   * Default: no input. With a promise, the command starts at once and waits when it reads. If the promise is rejected,
   * which the caller handles, the input ends. An iterable is sent piece by piece while the command runs.
   */
  stdin?: string | Uint8Array | Promise<string | Uint8Array> | AsyncIterable<Uint8Array>;
  /** Called with output, both streams in order of arrival. The chunk is reused after the call, so that it must be copied. */
  onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** Called when the command starts; not called if it ends before. */
  onBegin?: () => void;
  /** Maximum bytes of output in the result; `onOutput` gets all. Default 1 MiB. */
  keepBytes?: number;
  signal?: AbortSignal;
}

export interface ExecResult {
  /** Null if a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Both streams in order of arrival. */
  output: string;
  /** True if the output is longer than `keepBytes`. */
  truncated: boolean;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  /** Limits that the driver could not enforce, with the reason, such as `cpus: no cgroup is writable`. */
  unenforced: readonly string[];
  /** Limits that the command reached, such as `memory: a process was ended at the limit of 1024 MiB`. */
  exceeded?: readonly string[];
  /** Refused connections as `host:port`, if the network is limited. */
  refusedHosts?: readonly string[];
  /** Hosts to which connections were opened, as `host:port`, if the network is limited. */
  reachedHosts?: readonly string[];
  /** Changes and restrictions by the driver beyond the request, each as a sentence for the user and the model. */
  warnings?: readonly string[];
}

/** The part of a request that is known before the command. */
export type PrestartRequest = Omit<
  ExecRequest,
  'command' | 'cwd' | 'shell' | 'merged' | 'stdin' | 'onOutput' | 'onBegin' | 'keepBytes' | 'signal'
>;

/** A command in the background. */
export interface BackgroundRequest extends Pick<
  ExecRequest,
  'command' | 'cwd' | 'shell' | 'env' | 'files' | 'network' | 'protect' | 'readable' | 'signal' | 'writable'
> {
  /** Absolute path of an existing private folder for output, input, ids and exit code. */
  folder: string;
  /** True: it continues after Klaus ends. False: it ends with this process, also after a crash. */
  survives: boolean;
  /** Without `timeoutMs` its time is unlimited. */
  limits?: Partial<ExecLimits>;
}

/** Runs commands in the workspace. All of its processes end with it. */
export interface Sandbox {
  readonly name: SandboxName;
  /** @throws KlausError `sandbox.failed` if the driver fails; a failing command is a result. */
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Prepares what every command needs. A failure is reported by the first command. */
  warmUp?(): Promise<void>;
  /**
   * Starts the sandbox of a later command: an `exec` with the same request uses it at once. It is compared with the
   * request again, and replaced if a difference is found. Only the last one is used.
   *
   * @returns Closes it unless a command uses it; false if one does. Must be called in any case, because resources of the
   * command can remain for the next one. Another call of `prestart` takes them over. Never throws: the start of the
   * command reports the failure.
   */
  prestart?(request: PrestartRequest): Promise<() => Promise<boolean>>;
  /**
   * Starts a command in the background, with the same isolation as `exec`; resolves when it has started. Absent if the
   * driver does not support it.
   *
   * @throws KlausError `sandbox.failed`, `cancelled`; the command has not run then.
   */
  start?(request: BackgroundRequest): Promise<void>;
  /**
   * The environment on which the exit code of a command depends, in addition to the command and the checked files. Absent
   * if the driver does not support it.
   *
   * @param programs Names that are searched on the path.
   * @param folders Relative to the workspace; they are searched for configuration.
   */
  inspect?(programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment>;
  /** Records files that checks load, for `inspect` in this and later sessions. Relative to the workspace. */
  suspect?(paths: readonly string[]): Promise<void>;
  /** Monitors a process again that another Klaus process started. */
  attach?(folder: string): Promise<void>;
}
