import type { Access, Effect, Finding, Grant, Mode, TreeChange } from '../protocol/index.ts';

/** A call as the gate sees it. */
export interface CallFacts {
  name: string;
  effects: readonly Effect[];
  access: readonly Access[];
  /** True when redaction changed the input and the original is gone. */
  altered: boolean;
  /** True for what the engine does by the user's own setting, such as the checkpoint at the end of a run. */
  engine?: boolean;
  /** True for a command that works on the workspace itself where others work on a layer. */
  inPlace?: boolean;
  /** Package files whose scripts the call would change: what stands there runs at the next `npm test`. */
  scripts?: readonly string[];
  /** Files that nobody may write, by their mode, and that the call would change; relative to the workspace. */
  readOnly?: readonly string[];
  /** Paths to which protected places, or git's configuration, lead; relative to the workspace. */
  linked?: readonly string[];
}

export interface GateContext {
  grant: Grant;
  mode: Mode;
  /** Every file change asks, whatever the mode. */
  patchApproval: boolean;
  /** Absolute real path. */
  workspace: string;
  /** Absolute real paths of the folders beside it that may be read. Default: none. */
  readable?: readonly string[];
  /** Those of `readable` that may be changed too. Default: none. */
  writable?: readonly string[];
  /** Klaus's own state, which no call may touch. */
  home: string;
  /** Unix milliseconds: authority that has expired is none. */
  now: number;
  /** Commands work on a layer, and what they change is asked about. Default false. */
  isolate?: boolean;
  /** Commands get no network unless the call asks for it: the sandbox has none. Default false. */
  isOffline?: boolean;
  /** The user's own globs of secret files, relative to the workspace. */
  secretPatterns?: readonly string[];
}

/** One look at a call. Undefined: nothing to say. A throw counts as deny. */
export interface Rule {
  readonly name: string;
  check(call: CallFacts, context: GateContext): Omit<Finding, 'rule'> | undefined;
  /** A look at one path that a command changed on its layer, relative to the workspace. */
  checkChange?(path: string): Omit<Finding, 'rule'> | undefined;
}

/** What a command changed, before any of it is kept. */
export interface ChangeFacts {
  name: string;
  changes: readonly TreeChange[];
  /** Package files among them whose scripts differ. */
  scripts: readonly string[];
}
