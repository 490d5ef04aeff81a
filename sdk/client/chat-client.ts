import type { Grant, Mode } from '@klaus/core/protocol';
import type { StartMode } from '../config/start-mode.ts';
import type { SessionSummary } from './session-summary.ts';

/** What a chat needs of sessions and agents in addition to a run. */
export interface ChatClient {
  /**
   * The agent of a chat. Creates `agent-builder` if it is named and does not exist.
   *
   * @param query.name Default: Klaus itself.
   * @param query.isStart True for a start without any argument: the very first one creates `agent-builder` too.
   * @throws KlausError `usage` for an unknown agent, with the nearest name.
   */
  chatAgent(query: { name: string | undefined; isStart: boolean; cwd: string | undefined }): Promise<ChatAgent>;
  /** The session that a chat continues. @param query.agent Default: Klaus itself. */
  latestChat(query: {
    agent: string | undefined;
    cwd: string | undefined;
    root: string | undefined;
  }): Promise<SessionSummary | undefined>;
  /** The approval mode with which a new session of the user begins. @param workspace Default: that of the client. */
  startMode(workspace?: string): Promise<StartMode>;
  /** Records the approval mode that the user chose, for later sessions. */
  chooseMode(mode: Mode): Promise<void>;
  /** What a session may use, and the texts of its user. */
  chatState(id: string): Promise<ChatState>;
}

export interface ChatAgent {
  /** Undefined: Klaus itself. */
  name: string | undefined;
  /** False: the definition keeps no history. */
  keepsHistory: boolean;
  /** For the user. */
  notes: readonly string[];
}

export interface ChatState {
  workspace: string;
  grant: Grant;
  mode: string;
  model: string;
  tools: readonly string[];
  /** Tools that are found with a search. */
  deferred: readonly string[];
  prompts: readonly string[];
}
