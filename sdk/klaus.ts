import type {
  Checkpoint,
  Command,
  Event,
  EventOf,
  Limits,
  Live,
  Mode,
  OnAsk,
  Part,
  SandboxName,
} from '@klaus/core/protocol';
import type { Tool } from '@klaus/core/agent';
import type { ApprovalRow, SessionRow, SqliteStore } from '@klaus/adapters/store';
import type { ScriptedServer } from '@klaus/adapters/models';
import type { Configuration } from './config/configuration.ts';

export interface KlausOptions {
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Environment to read settings from. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Settings given by the caller, by key (`model`, `limits.usd`): they win over everything. */
  settings?: Readonly<Record<string, unknown>>;
  /** Folder whose `.klaus/config.yaml` counts and in which sessions work by default. Default: the current one. */
  cwd?: string;
  /** Tools beside the built-in ones. */
  tools?: readonly Tool[];
  /** False: only `tools`. Default true. */
  builtinTools?: boolean;
  /** Returns where a `scripted/NAME` model is served. Default: such models are unknown. */
  scripted?: (name: string) => Promise<ScriptedServer>;
  /** Lines for the user that belong to no session, such as "openai/… goes through OpenRouter". */
  onNotice?: (text: string) => void;
}

export interface OpenOptions {
  /** Default: the configured workspace. */
  workspace?: string;
  /** Accept `/`, the home folder and the like. Default false. */
  allowAnyWorkspace?: boolean;
  model?: string;
  mode?: Mode;
  sandbox?: SandboxName;
  limits?: Partial<Limits>;
  checkpoint?: Checkpoint;
}

/** Why advance returned. */
export type Advance =
  /** Nothing is left to do. `finished` is the last run's end, where this call ended one. */
  | { state: 'idle'; finished?: EventOf<'run.finished'> }
  /** Questions are open; nothing goes on until one is answered. */
  | { state: 'parked'; approvals: EventOf<'approval.asked'>[] }
  /** Another live process holds the session. It serves what was sent. */
  | { state: 'busy' };

/** A handle on one session. Holding it claims nothing. */
export interface Session {
  readonly id: string;
  /** Sends a prompt to the inbox and returns the command's id. */
  prompt(content: string | readonly Part[], options?: { onAsk?: OnAsk; delivery?: 'steer' | 'queue' }): Promise<string>;
  /**
   * Sends any other command; `id` is chosen for you. A change of model is checked and stored by its full name.
   *
   * @throws KlausError `model.unknown`, `auth`, `config` for a model that cannot be used; nothing is sent then.
   */
  send(command: WithoutId<Command>): Promise<string>;
  /** Claims the session and works until nothing is left to do. Resume is the same call. */
  advance(options?: { signal?: AbortSignal }): Promise<Advance>;
  /** True when `advance` would find something to do: a command whose time has come, or a run that waits for no answer. */
  isRunnable(): boolean;
  events(after?: number): Iterable<Event>;
  subscribe(after: number, listener: (event: Event) => void): () => void;
  onLive(listener: (live: Live) => void): () => void;
}

type WithoutId<C> = C extends Command ? Omit<C, 'id'> : never;

export interface Klaus {
  readonly home: string;
  readonly configuration: Configuration;
  /** The log with its queries. */
  readonly store: SqliteStore;
  /**
   * Opens a new session; durable when it resolves.
   *
   * @throws KlausError `workspace.*`, `model.unknown`, `auth`, `sandbox.unavailable`, `config`.
   */
  open(options?: OpenOptions): Promise<Session>;
  /** @throws KlausError `usage` naming the nearest session. */
  session(idOrPrefix: string): Session;
  sessions(query?: { search?: string; limit?: number; before?: string }): SessionRow[];
  /** Open questions over all sessions. */
  approvals(): ApprovalRow[];
  /** Answers a question of any session, from any process. */
  answer(approval: string, answer: 'approved' | 'rejected', options?: { by?: string; note?: string }): Promise<Session>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
