import type { Event, EventOf, Live } from '@klaus/core/protocol';
import type { QueuedMessage } from '../sessions/queued-messages.ts';
import type { AnswerOptions } from '../sessions/question.ts';
import type { PromptRequest, Reply } from './session-client.ts';

/** What a driven session does now. */
export type DriveState =
  /** This client works on it, or follows the work of the server. */
  | { state: 'working' }
  /** Nothing is left to do. `finished`: the end of the last run, if it ended since the previous idle state. */
  | { state: 'idle'; finished?: EventOf<'run.finished'> }
  /** The session waits for an answer to each of these approvals, oldest first. */
  | { state: 'parked'; approvals: readonly EventOf<'approval.asked'>[] }
  /** Another process works on the session. Its events are reported; this client takes over when that process is done. */
  | { state: 'busy' }
  /** The work ended with an error. {@link DrivenSession.kick} and every request try again. */
  | { state: 'failed'; error: unknown };

export interface DriveOptions {
  /** Id of the session. */
  session: string;
  /** Seq. Later events are reported. */
  after: number;
  /** Every event once and in order, those that other processes cause too. */
  onEvent: (event: Event) => void;
  onEarlierEvent?: ((event: Event) => void) | undefined;
  /** In-flight text and progress of calls. */
  onLive?: ((live: Live) => void) | undefined;
  /** Messages and shell commands that no run has taken. */
  onQueue?: ((messages: readonly QueuedMessage[]) => void) | undefined;
  /** Each change of the state, after all events that led to it. */
  onState: (state: DriveState) => void;
  /** The connection to a server was lost or restored, in a sentence. Default: it is not reported. */
  onConnection?: ((text: string) => void) | undefined;
}

/** A session that this client advances whenever there is something to do. */
export interface DrivenSession extends AsyncDisposable {
  /** The state that was reported last; undefined before the first one. */
  readonly state: DriveState | undefined;
  /** Sends a prompt and works on it. Resolves when the prompt is durable. @throws KlausError as `SessionClient.prompt`. */
  send(request: PromptRequest): Promise<void>;
  /** Works until nothing is left to do, after a request that was sent in another way, such as a change or a resume. */
  kick(): void;
  /** Stops the current run. Prompts that no run has taken remain in the inbox. */
  cancel(reason: string): Promise<void>;
  /** Answers an approval. False: another client was faster, and this answer has no effect. */
  answer(approval: string, reply: Reply, options?: Omit<AnswerOptions, 'by' | 'raise'>): Promise<boolean>;
  /** Resolves when the state is neither `working` nor `busy`, at once if that is so. */
  settled(): Promise<DriveState>;
  /** Stops reporting. A run that this client works on is not stopped: cancel it before, or close the client. */
  dispose(): Promise<void>;
}
