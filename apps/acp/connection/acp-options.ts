import type { Readable, Writable } from 'node:stream';
import type { EditorBuffers } from '@klaus/sdk';
import type { OpenRequest, SessionClient } from '@klaus/sdk/client';

/** What every session of a connection is opened with. */
export type SessionDefaults = Omit<OpenRequest, 'parts' | 'workspace' | 'chat'>;

export interface AcpOptions {
  stdin: Readable;
  /** Gets messages of the protocol and nothing else. */
  stdout: Writable;
  /** Receives one line for the log of the editor. */
  log: (text: string) => void;
  /**
   * Opens the client of the sessions at the first request that needs it.
   *
   * @param options.cwd The folder of that request, whose settings apply.
   * @param options.buffers The files of the editor, for each session.
   */
  open: (options: {
    cwd: string | undefined;
    buffers: (session: string) => EditorBuffers | undefined;
  }) => Promise<SessionClient>;
  /** True: the sessions and the keys are those of a server. */
  isRemote: boolean;
  /** The newest version of the protocol that is offered. Version 2 is a draft. */
  protocolVersion: 1 | 2;
  defaults: SessionDefaults;
  /** Ends the connection. */
  signal: AbortSignal;
}
