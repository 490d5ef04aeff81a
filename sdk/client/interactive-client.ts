import type { RestoreRequest, Restored } from '@klaus/core/agent';
import type { Effort, Limits, McpPromptCommand, Mode } from '@klaus/core/protocol';
import type { QueuedMessage } from '../sessions/queued-messages.ts';
import type { TurnChanges } from '../sessions/session-handle.ts';
import type { PinnedText } from '../sessions/session-pins.ts';

/** What an interactive user interface needs of sessions in addition to a chat. */
export interface InteractiveClient {
  /** Changes a session. @throws KlausError `model.unknown`, `auth`, `config`. */
  change(id: string, change: SessionChange): Promise<void>;
  /** Restores files of the workspace. @throws KlausError `usage` if there is nothing to restore, `store.busy`. */
  restore(
    id: string,
    request: ClientRestore,
    options?: { conflicts?: 'refuse' | 'keep' | 'overwrite' },
  ): Promise<Undone>;
  /** Creates a copy of a session. Returns the id. */
  fork(id: string, options?: ForkRequest): Promise<string>;
  /**
   * Deletes a session with everything that only it refers to. At a server this can be undone for some seconds.
   *
   * @throws KlausError `usage` for an unknown session, `store.busy` while a process works on it.
   */
  delete(id: string): Promise<void>;
  /** Messages and shell commands in the inbox that no run has taken, the oldest first. */
  queued(id: string): Promise<readonly QueuedMessage[]>;
  /** Withdraws one of them, unless a run has taken it. @param command Id of the command. */
  withdraw(id: string, command: string): Promise<void>;
  /** The changes of a turn, or of all turns as turn 0; default: all. @throws KlausError `usage` if there are none. */
  changes(id: string, turn?: number): Promise<TurnChanges>;
  /** Pinned texts, oldest first. */
  pins(id: string): Promise<readonly PinnedText[]>;
  /** Keeps a text in the context unchanged. @throws KlausError `usage` for a text that is too large. */
  pin(id: string, text: string): Promise<void>;
  /** @param pin Its id. */
  unpin(id: string, pin: string): Promise<void>;
  /** Background processes of a session. */
  processes(id: string): Promise<readonly ClientProcess[]>;
  /** Stops a background process. @param process Such as `p1`. */
  stopProcess(id: string, process: string): Promise<void>;
  /** Remembers a note about a workspace for later sessions. @throws KlausError `usage` for a note that is too long, and at a server. */
  remember(workspace: string | undefined, note: string): Promise<void>;
  /** The allowed models. */
  models(): Promise<readonly ClientModel[]>;
  /** Looks for the models of programs on this machine. Absent: this client works on another one. */
  localModels?(): Promise<readonly ClientModel[]>;
  /** Allows to send texts to the program on this machine that has the model. */
  allowModel?(name: string): Promise<void>;
  /** The defined agents, by name. @param workspace Default: the configured one. */
  agents(workspace?: string): Promise<readonly ClientAgent[]>;
  /** Paths that contain the characters in this order, the best match first, without ignored files. */
  findFiles(query: { workspace: string | undefined; characters: string; limit: number }): Promise<readonly string[]>;
  /** The prompts of the MCP servers of a folder, as they were when the servers were last started. Default: the configured one. */
  mcpPrompts(workspace?: string): Promise<readonly McpPromptCommand[]>;
  /** Compacts the context before the next request to the model; without a run, in a run of its own. */
  compact(id: string): Promise<void>;
  /**
   * Runs a command of the user in the sandbox, after the active run. The model gets its output with the next prompt.
   *
   * @throws KlausError `usage` for a command that contains a secret.
   */
  shell(id: string, command: string): Promise<void>;
}

export interface SessionChange {
  model?: string;
  /** Names of the models that answer while that one cannot. */
  fallback?: string[];
  mode?: Mode;
  /** How much the model reasons from the next request on. */
  effort?: Effort;
  title?: string;
  limits?: Partial<Limits>;
}

/** A request that acts on turns of the session, or on its last undo. */
export type ClientRestore = Extract<RestoreRequest, { kind: 'undo' | 'redo' }>;

export interface ForkRequest {
  /** Id of a message of the user. Everything before it is copied. Default: everything. */
  before?: string;
  /** `then`: restores the workspace to that moment, except files that others changed. Default `now`: no change. */
  files?: 'now' | 'then';
}

export type Undone = Pick<Restored, 'done' | 'changes' | 'notRestored'> & {
  /** Paths that others have changed since. Nothing was undone then. */
  conflicts: readonly string[];
};

export interface ClientModel {
  /** Full name, `provider/id`. */
  name: string;
  /** Its tier at its provider. */
  tier: string | undefined;
  /** Tokens; 0 for a model of a program on this machine, whose window is known when it is used. */
  contextWindow: number;
  /** False: no key of its provider is set. */
  usable: boolean;
  /** The program on this machine that was found and has the model, which the user has not allowed yet. */
  asks?: string;
}

export interface ClientAgent {
  name: string;
  description: string;
}

export interface ClientProcess {
  /** Such as `p1`. */
  id: string;
  command: string;
  state: string;
}
