import type { OpenRequest, SessionChange, SessionClient } from '@klaus/sdk/client';

/** What the terminal gets from the command line. */
export interface TerminalOptions {
  /** Opens the client; called after the first frame. @param onNotice Receives lines that belong to no session. */
  openClient: (onNotice: (text: string, level?: 'info' | 'warn') => void) => Promise<SessionClient>;
  /** Chooses the agent and the session to continue. @param agent Name of the agent to which the user switches. */
  begin: (client: SessionClient, agent?: string) => Promise<TerminalStart>;
  /** Everything but the parts of the request that opens a session. */
  toRequest: (client: SessionClient, start: TerminalStart) => Promise<Omit<OpenRequest, 'parts'>>;
  /** Opens the user's editor with a file. False if it failed. */
  editFile: (file: string) => boolean;
  /** Registers the terminal as an instance; called after the first session is shown. Default: it is none. */
  openInstance?: (terminal: InstanceTerminal) => Promise<TerminalInstance>;
  /** State folder. */
  home: string;
  /** Absolute path of the folder. */
  folder: string;
  /** A prompt that is sent at once; '' for none. */
  prompt: string;
  version: string;
}

export interface TerminalStart {
  /** Undefined: Klaus itself. */
  agent: string | undefined;
  /** True: later chats continue the session. */
  keepsHistory: boolean;
  /** Id of the session to continue; undefined: the first prompt opens one. */
  session: string | undefined;
  /** What the options change in that session. */
  change: SessionChange;
  /** For the user. */
  notes: readonly string[];
}

/** The terminal, as its instance sees it. */
export interface InstanceTerminal {
  client: SessionClient;
  /** Id of the session that is shown; undefined: the next prompt opens one. */
  session: string | undefined;
  /** Shows another session. */
  show: (id: string) => Promise<void>;
}

export interface TerminalInstance {
  /** Another session is shown. */
  setSession(id: string | undefined): void;
  /** Returns the ids of sessions whose runs end with this process. */
  end(exitCode: number): Promise<readonly string[]>;
}
