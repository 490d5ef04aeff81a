import type { Instances } from '@klaus/sdk';
import type { SessionClient } from '@klaus/sdk/client';
import type { HostedSession } from './hosted-session.ts';
import type { SessionFacts } from './session-facts.ts';
import type { InstancePaths } from './socket-path.ts';

export interface InstanceOptions {
  client: SessionClient;
  instances: Instances;
  /** ULID. */
  id: string;
  /** Absolute path of the project. */
  root: string;
  tty: string | null;
  /** Id of the current session at the start. */
  session: string | undefined;
  /** Shows a session that becomes the current one. Default: there is nothing to show. */
  show?: (id: string) => Promise<void>;
  /** True: `show` itself ends and continues the work on the current session. Default false. */
  holds?: boolean;
  /** The environment to which the variables of the instance are written. */
  env: NodeJS.ProcessEnv;
}

/** What the actions of the socket see of their instance. */
export interface HostState {
  readonly options: InstanceOptions;
  readonly paths: InstancePaths;
  readonly project: string;
  readonly startedAt: string;
  /** Id of the current session. */
  readonly session: string | undefined;
  readonly hosted: ReadonlyMap<string, HostedSession>;
  isCheckingOut: boolean;
  setSession(id: string | undefined): void;
  /** Keeps a session advancing from now on. @param id The full id. */
  host(id: string): Promise<HostedSession>;
  /** Any session. @throws SocketError `E_SESSION_NOT_FOUND`. */
  read(id: string): Promise<SessionReading>;
  /** A session of this project. @throws SocketError `E_SESSION_NOT_FOUND`, `E_SESSION_PROJECT_MISMATCH`. */
  find(id: string): Promise<SessionReading>;
}

export interface SessionReading {
  /** The full id. */
  id: string;
  facts: SessionFacts;
  /** True while a process works on it. */
  isHeld: boolean;
}
