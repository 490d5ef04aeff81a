import type {
  Command,
  Event,
  EventOf,
  Live,
  OnAsk,
  Part,
  Scope,
  OtherChange,
  TreeChange,
  UntrustedText,
} from '@klaus/core/protocol';
import type {
  AttendOptions,
  Recall,
  Replayed,
  ReplayedRequest,
  RestoreOptions,
  RestoreRequest,
  Restored,
  RunnerAttended,
  VerifiedEvidence,
  VerifyOptions,
} from '@klaus/core/agent';
import type { GrantRecord, Revoked, RevokeOptions } from '../grants/session-grants.ts';
import type { ChangedFile, ChangedFileOptions } from './changed-file.ts';
import type { GivenApproval, ScopeChange } from './session-approvals.ts';
import type { PinnedText, PinResult } from './session-pins.ts';

/** Why `advance` returned. */
export type Advance =
  /** Nothing is left to do. `finished` is the end of the last run, if this call ended one. */
  | { state: 'idle'; finished?: EventOf<'run.finished'> }
  /** Questions are open; the session waits until one is answered. */
  | { state: 'parked'; approvals: EventOf<'approval.asked'>[] }
  /** Another live process holds the session. It processes what was sent. */
  | { state: 'busy' };

export interface PromptOptions {
  /** Id of the command, a ULID: sent twice it has one effect. Default: a new one. */
  id?: string;
  /** What to do when a call needs an approval. Default `deny`. */
  onAsk?: OnAsk;
  /** During a run: the prompt joins it at its next model call, or begins a run of its own after it. Default `steer`. */
  delivery?: 'steer' | 'queue';
  /** Keep its text in the context unchanged. Default false. */
  pin?: boolean;
  /** Milliseconds for which the run waits for an unavailable model, also after a restart. Default: the setting. */
  waitForModelMs?: number;
  /** It contains a text of others. From then on the session asks before it sends anything out. Default: the user's. */
  untrusted?: UntrustedText;
}

/** A handle on one session. It holds no lease. */
export interface Session {
  readonly id: string;
  /**
   * Sends a prompt to the inbox and returns the command's id.
   *
   * @throws KlausError `usage` for a prompt that is too large to be pinned; nothing is sent then.
   */
  prompt(content: string | readonly Part[], options?: PromptOptions): Promise<string>;
  /**
   * Sends any other command and returns its new id. A change of model is checked and stored by its full name.
   *
   * @throws KlausError `model.unknown`, `auth`, `config` for a model that cannot be used; nothing is sent then.
   */
  send(command: WithoutId<Command>): Promise<string>;
  /**
   * Changes what the open runs of the session and of those below it do with questions from now on: `deny` also denies
   * those that are open. Without a run, nothing changes.
   */
  changeOnAsk(onAsk: OnAsk): Promise<void>;
  /**
   * Claims the session and works until nothing is left to do. To resume, call it again.
   *
   * @param options.signal Stops at once, as a crash would. @param options.pause Stops after the current step.
   * @param options.last Once aborted, no further run begins: pending prompts stay in the inbox.
   * @param options.attempt Number of a scheduler's attempt, which the claim compares. Default: none.
   */
  advance(options?: {
    signal?: AbortSignal;
    pause?: AbortSignal;
    last?: AbortSignal;
    attempt?: number | undefined;
  }): Promise<Advance>;
  /**
   * Runs the interactive program of a session that another program drives, in the terminal of this process, until it
   * exits. Nothing else works on the session during this time; then what was said is imported into the log.
   *
   * @throws KlausError `store.busy` while another process holds the session, `usage` if it has no such program, or its
   *   run was interrupted; `sandbox.*`, `runner.failed`.
   */
  attend(options: AttendOptions): Promise<RunnerAttended>;
  /**
   * Applies pending changes of title, pin, model, mode and limits without resuming a run.
   *
   * @returns False while a live process holds the session and applies them itself.
   */
  applyQueuedCommands(): Promise<boolean>;
  /** True when `advance` has something to do: a command that can be processed, or a run that waits for no answer. */
  isRunnable(): Promise<boolean>;
  /**
   * Runs the loop again on the log, offline and without effects, and compares every request and every event with the
   * record. Needs no model, no workspace and no lease.
   *
   * @param options.onRequest Called with each request in order, as it would be sent to the model.
   * @throws KlausError `store.corrupt` for a log that cannot be read.
   */
  replay(options?: { onRequest?: (request: ReplayedRequest) => void }): Promise<Replayed>;
  /** Events after `after` (default 0) in order. */
  events(after?: number): AsyncIterable<Event>;
  /**
   * Restores files of the workspace as one step. Holds the session until it is done.
   *
   * @throws KlausError `store.busy` while another process holds it, `undo.nothing` when there is nothing to do.
   */
  restore(request: RestoreRequest, options: RestoreOptions): Promise<Restored>;
  /**
   * The changes of a turn; default: the last one with effects. As turn 0: `all`, those of the session, without undone ones
   * and without those that others made between its turns.
   *
   * @throws KlausError `usage` for a turn without effects.
   */
  turnChanges(turn?: number | 'all'): Promise<TurnChanges>;
  /** The complete output of a call, with secrets redacted; undefined without a result. */
  callOutput(call: string): Promise<string | undefined>;
  /**
   * A file before or after the changes of a turn, or of all turns.
   *
   * @throws KlausError `usage` for a turn without effects, and for a path that has no file on that side of the changes.
   */
  changedFile(options: ChangedFileOptions): Promise<ChangedFile>;
  /**
   * Runs the checks of the last run that had any again, through the gate, in the sandbox, and appends their results to
   * the log. Holds the session until it is done.
   *
   * @throws KlausError `store.busy` while another process holds it, `usage` when there are no checks.
   */
  verify(options?: Partial<VerifyOptions>): Promise<VerifiedEvidence>;
  /** All grants that the session has had, oldest first. */
  grants(): Promise<GrantRecord[]>;
  /** True if its present grant allows connections to a host. Without it, a call needs an approval. */
  reaches(to: { host: string; port: number }): Promise<boolean>;
  /**
   * Revokes authority, also from a session that another process works on.
   *
   * @param parts As in a grant's text; a kind alone (`net`) or a bundle means all of it. Empty: everything.
   * @throws KlausError `usage` for a part that the grant does not contain or cannot omit; nothing is revoked then.
   */
  revoke(parts?: readonly string[], options?: RevokeOptions): Promise<Revoked>;
  /** The approvals that were given in this session and can be remembered or revoked, oldest first. */
  approvals(): Promise<GivenApproval[]>;
  /**
   * Changes how long a given approval applies, also in a session that another process works on: `session` or `project`
   * remembers what the question offered, `once` revokes it.
   *
   * @param idOrPrefix Of the approval. @param options.by Who changes it, for the log. Default `sdk`.
   * @throws KlausError `usage` for an approval that was not given, or whose question offered no other scope.
   */
  changeApproval(idOrPrefix: string, scope: Scope, options?: { by?: string }): Promise<ScopeChange>;
  /**
   * Keeps a text in the context unchanged through every compaction: a text of the user, or that of an event.
   *
   * @throws KlausError `usage` for an event without text, and when all pinned texts together would exceed a tenth of
   *   the context window.
   */
  pin(given: string | { seq: number }, options?: { by?: string }): Promise<PinResult>;
  /** @param idOrPrefix Of a pin. @throws KlausError `usage` for what is not pinned. */
  unpin(idOrPrefix: string, options?: { by?: string }): Promise<PinResult>;
  /** Pinned texts, oldest first. */
  pins(): Promise<PinnedText[]>;
  /** Full-text search in all messages, calls and results, also those that a compaction removed from the context. */
  readonly recall: Recall;
  subscribe(after: number, listener: (event: Event) => void): () => void;
  onLive(listener: (live: Live) => void): () => void;
}

type WithoutId<C> = C extends Command ? Omit<C, 'id'> : never;

/** What one turn changed in the workspace. */
export interface TurnChanges {
  turn: number;
  changes: TreeChange[];
  /** What others changed during these turns, or may have changed. The rest does not contain it. */
  others: readonly OtherChange[];
  /** Unified diff text; a sentence for changes without lines. */
  diff: string;
}
