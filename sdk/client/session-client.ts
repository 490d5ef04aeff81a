import type { ApprovalRow, ProcessStatus, RecalledText, SessionRow } from '@klaus/core/agent';
import type {
  Event,
  EventOf,
  Hunk,
  InputQuestion,
  Live,
  OnAsk,
  Part,
  Remembered,
  Scope,
  UntrustedText,
} from '@klaus/core/protocol';
import type { ExportedTest } from '../export/export-test.ts';
import type { CopiesClient } from '../copies/working-copy.ts';
import type { OpenOptions } from '../klaus-options.ts';
import type { QueuedMessage } from '../sessions/queued-messages.ts';
import type { AnswerOptions } from '../sessions/question.ts';
import type { GivenApproval, ScopeChange } from '../sessions/session-approvals.ts';
import type { Advance } from '../sessions/session-handle.ts';
import type { UsageReport } from '../sessions/usage-report.ts';
import type { AttentionClient } from './attention-client.ts';
import type { ChatClient } from './chat-client.ts';
import type { InteractiveClient } from './interactive-client.ts';
import type { SessionSummary } from './session-summary.ts';

/**
 * Access to sessions, in this process or on a server. It prints nothing: the command line, and any other user
 * interface, follows and controls sessions through this interface only.
 *
 * Ids of sessions and approvals can be abbreviated to their beginning. A refused request is an error with a code, as
 * of the engine.
 */
export interface SessionClient extends AsyncDisposable, AttentionClient, ChatClient, InteractiveClient {
  /** The server's name; undefined for this machine. */
  readonly server: string | undefined;
  /** What further command lines need to reach the same sessions: ` --server URL`, or nothing. */
  readonly at: string;
  /** A warning about the connection to the server. */
  readonly warning: string | undefined;
  readonly copies: CopiesClient;

  /** @param workspace With the settings of its project. Default: that of the client. */
  settings(workspace?: string): Promise<ClientSettings>;
  session(id: string): Promise<SessionSummary>;
  /** The session that `--continue` means. @throws UsageError if there is none. */
  latest(folders: { cwd?: string | undefined; root?: string | undefined }): Promise<SessionSummary>;
  /** The newest first. @param query.workspace Only sessions of the current workspace; on this machine only. */
  sessions(query: {
    search?: string | undefined;
    limit: number;
    here?: boolean;
    /** True: only archived sessions. Default: only others. */
    archived?: boolean;
  }): Promise<ListedSession[]>;
  events(id: string): AsyncIterable<Event>;
  /** The complete output of a call. @throws UsageError for a call without a result. */
  callOutput(id: string, call: string): Promise<string>;
  /** Finds words in the messages, calls and results of a session. */
  search(id: string, words: string, options: { limit: number }): Promise<SearchResult>;
  /** The session as one document, in pieces. The export is recorded in the host chain. @param options.language Of HTML. Default `en`. */
  export(
    id: string,
    format: 'md' | 'json' | 'html',
    options?: { language?: 'en' | 'de' | undefined },
  ): Promise<AsyncIterable<string> | Iterable<string>>;
  /** The session as a test. The export is recorded in the host chain. */
  exportTest(id: string): Promise<ExportedTest>;
  usage(query: Undefinable<{ session: string; by: UsageReport['by']; since: number }>): Promise<UsageReport>;

  /** Open approvals of all sessions. */
  approvals(): Promise<ListedApproval[]>;
  approval(id: string): Promise<ApprovalSummary>;
  /** Approvals that outlive their session. */
  remembered(): Promise<readonly RememberedApproval[]>;
  /** Forgets such an approval. @throws UsageError if there is none. */
  forget(id: string): Promise<void>;
  /** The given approvals of a session that can be remembered or revoked. */
  givenApprovals(session: string): Promise<readonly ClientGivenApproval[]>;
  /** Changes how long a given approval applies. @throws if its question offered no other scope. */
  changeApproval(session: string, approval: string, scope: Scope): Promise<ScopeChange>;
  answer(id: string, reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'>): Promise<void>;

  /** Opens a session and sends its first prompt, unless it has no parts. Returns the id. */
  open(request: OpenRequest): Promise<string>;
  /**
   * Sends a prompt to an existing session; changes of the session are applied first. `isHandedOver`: another process
   * works on the session and takes the prompt.
   */
  prompt(id: string, request: PromptRequest): Promise<{ isHandedOver: boolean }>;
  /** Continues a run that was interrupted or stopped early. @throws if nothing is left to do. */
  resume(id: string, request: ResumeRequest): Promise<void>;
  /** `idle`: nothing was running. `stopping`: the process that holds the session stops it. */
  cancel(id: string, reason: string): Promise<{ session: string; state: 'idle' | 'cancelled' | 'stopping' }>;
  /** Works on a session in this process, or follows the work of the server. */
  follow(options: FollowOptions): Promise<FollowedSession>;
  /**
   * What remains of a session for other processes when this client ends: the number of prompts that no process takes by
   * itself, and background processes that continue to run. Nothing on a server.
   */
  leftovers(id: string): Promise<{ messages: number; processes: readonly ProcessStatus[] }>;
}

export interface ClientSettings {
  /** Model of a new session, as in the setting `model`. */
  model: string;
  maxPromptChars: number;
  /** Undefined: not configured. */
  onAsk: OnAsk | undefined;
  /** True if there is no session yet, no limit in dollars is set, and the model has a known price. */
  lacksBudget(model?: string): Promise<boolean>;
}

export interface ListedSession extends Pick<
  SessionRow,
  'id' | 'agentType' | 'updatedAt' | 'costUsd' | 'parent' | 'forkedFrom' | 'title' | 'firstPrompt' | 'workspace'
> {
  status: string;
  /** The last line that its model wrote, if another session of the list has the same name and it is known. */
  lastLine?: string | null;
  /** Names of the background processes that run now, if they are known. */
  processes?: readonly string[];
}

export interface SearchResult {
  session: string;
  hits: readonly RecalledText[];
  /** Seqs of records that are too large to search. */
  skipped: readonly number[];
}

type ApprovalChain = EventOf<'approval.asked'>['chain'];

/** An open approval with the information that is needed to decide. */
export interface ListedApproval extends Pick<
  ApprovalRow,
  'id' | 'title' | 'session' | 'workspace' | 'expiresAt' | 'reason' | 'command' | 'diff'
> {
  readonly hunks: () => Promise<readonly Hunk[]>;
  /** For a plan: its Markdown. */
  plan?: string | null;
  /** For a question of a running tool. */
  input?: InputQuestion | null;
  /** For a child session: the sessions from the one that the user opened to it. */
  chain?: ApprovalChain;
}

export interface ApprovalSummary extends Pick<ApprovalRow, 'id' | 'session' | 'answer' | 'answeredBy'> {
  /** Ids of the hunks of the change; none once it is answered. */
  hunks: readonly string[];
  /** For a question of a running tool. */
  input?: InputQuestion | null;
  /** For a child session: the sessions from the one that the user opened to it. */
  chain?: ApprovalChain;
}

/** An approval that outlives its session. */
export interface RememberedApproval {
  approval: string;
  workspace: string;
  remembered: Pick<Remembered, 'agent' | 'tool'> & { command?: string; paths?: string[] };
  /** ISO 8601. */
  createdAt: string;
}

/** As `GivenApproval`, of this machine or of a server. */
export interface ClientGivenApproval extends Omit<GivenApproval, 'remembered'> {
  remembered: RememberedApproval['remembered'];
}

export type Reply = 'approved' | 'rejected';

type Undefinable<T> = { [K in keyof T]?: T[K] | undefined };

interface RunRequest extends Undefinable<Pick<OpenOptions, 'limits'>> {
  onAsk: OnAsk;
  waitForModelMs?: number | undefined;
}

export interface ResumeRequest extends RunRequest {
  /**
   * What a run that has not ended does with questions from now on; `deny` also denies those that are open, and those of
   * the sessions below it. Default: as when it began.
   */
  openRunOnAsk?: OnAsk | undefined;
}

/** A prompt, with changes of the model, the mode and the limits. */
interface PromptContent extends RunRequest, Undefinable<Pick<OpenOptions, 'model' | 'mode'>> {
  parts: readonly Part[];
  pin?: boolean | undefined;
  /** It contains a text of others. */
  untrusted?: UntrustedText | undefined;
}

export interface OpenRequest
  extends
    PromptContent,
    Undefinable<
      Pick<
        OpenOptions,
        | 'agent'
        | 'runner'
        | 'trustCommand'
        | 'chat'
        | 'attended'
        | 'workspace'
        | 'allowAnyWorkspace'
        | 'root'
        | 'sandbox'
        | 'isolate'
        | 'workingCopy'
        | 'temperature'
        | 'effort'
        | 'instance'
        | 'startedBy'
      >
    > {
  fallback?: readonly string[] | undefined;
  /** Texts of one grant. */
  grant?: readonly string[] | undefined;
  allowNet?: readonly string[] | undefined;
  workers?: readonly string[] | undefined;
}

export interface PromptRequest extends PromptContent {
  delivery: 'steer' | 'queue';
}

export interface FollowOptions {
  session: string;
  /** Seq. Later events are reported. */
  after: number;
  /** Every event once and in order. */
  onEvent: (event: Event) => void;
  /** Events before these, as far as the calls that they concern can still be open. */
  onEarlierEvent: ((event: Event) => void) | undefined;
  /** In-flight text and progress of calls. */
  onLive: ((live: Live) => void) | undefined;
  /** The messages and shell commands that no run has taken, at the start and after each change. */
  onQueue?: ((messages: readonly QueuedMessage[]) => void) | undefined;
  /** Reports that the connection to the server was lost or restored, in a sentence. */
  onConnection: (text: string) => void;
}

/** A session that is being worked on. */
export interface FollowedSession extends AsyncDisposable {
  /**
   * Resolves when the session is idle, waits for an approval, or another process holds it, and every event has been
   * reported.
   *
   * @param options.last Once it is aborted, no further run begins.
   */
  wait(options: { last: AbortSignal }): Promise<Advance>;
  /** True if a request that was sent is still to be processed. Call {@link wait} again then. */
  isRunnable(): Promise<boolean>;
  cancel(reason: string): Promise<void>;
  answer(approval: string, reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'>): Promise<void>;
  /** Aborts when another client answers the approval. */
  untilAnswered(approval: string): AbortSignal;
}
