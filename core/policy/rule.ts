import type { Access, Effect, Finding, Grant, Mode, TreeChange } from '../protocol/index.ts';
import type { NameComparison } from './names/name-comparison.ts';
import type { HostFacts } from './shell/host/host-facts.ts';
import type { Taint } from './taint.ts';

/** The authority that a defined agent would have after a call. */
export interface Delegated {
  readonly agent: string;
  readonly grant: Grant;
  /** The grant in words, for the user who is asked. */
  readonly text: string;
}

export interface CallFacts {
  name: string;
  effects: readonly Effect[];
  access: readonly Access[];
  /** True if redaction changed the input and the original is lost. */
  altered: boolean;
  /** True for actions of the engine by the user's setting, such as the checkpoint at the end of a run. */
  engine?: boolean;
  /** True for a command that the user entered: the mode does not apply to it. */
  byUser?: true;
  /** True for a command that works on the workspace instead of a layer. */
  inPlace?: boolean;
  /** Package files whose scripts the call would change: the next `npm test` runs them. */
  scripts?: readonly string[];
  /** Absolute paths of protected places that the call would create, of the kind that counts only if it is new. */
  created?: readonly string[];
  /** Files that are read-only by their mode and that the call would change; relative to the workspace. */
  readOnly?: readonly string[];
  delegates?: Delegated;
  /** A call of an agent that another program drives, whose effects are not known completely. */
  unclear?: string;
  /** Why the user decides about the call in every mode. */
  confirm?: string;
  /** False for a call with the effect `spawn` that creates no agent: it uses those that exist. */
  creates?: false;
  /** True for a plan that the user is asked to accept. */
  plan?: true;
  /** The address that the call requests with GET, without data and without credentials. */
  fetches?: string;
  /** The query that the call sends to the search service of the user. */
  searches?: string;
  /** True for a call that stores a text for later sessions. */
  isForLater?: true;
  /** True if it can send data to others although it only reads. */
  sends?: boolean;
  /** Paths to which protected places, or git's configuration, lead; relative to the workspace. */
  linked?: readonly string[];
}

export interface GateContext {
  grant: Grant;
  mode: Mode;
  /** Every file change asks, in any mode. */
  patchApproval: boolean;
  /** Absolute real path. */
  workspace: string;
  /** Absolute real paths of the folders beside it that may be read. Default: none. */
  readable?: readonly string[];
  /** Those of `readable` that may be changed too. Default: none. */
  writable?: readonly string[];
  /** Klaus's own state, which no call may access. */
  home: string;
  /** Paths outside of it to which its entries are links. Default: none. */
  linkedState?: readonly string[];
  /** Unix milliseconds; expired authority is ignored. */
  now: number;
  /** Commands work on a layer, and the gate asks about their changes. Default false. */
  isolate?: boolean;
  /** Commands get no network unless the call asks for it: the sandbox has none. Default false. */
  isOffline?: boolean;
  /** The user's own globs of secret files, relative to the workspace. */
  secretPatterns?: readonly string[];
  /** How the file systems of the workspace and of `readable` compare names. Default: `exact`. */
  names?: NameComparison;
  /** Absent: the session has read no untrusted content. */
  taint?: Taint;
  /** Present for a command that runs without a sandbox. */
  host?: HostFacts;
}

/** Judges a call. Undefined: no objection. A throw counts as deny. */
export interface Rule {
  readonly name: string;
  check(call: CallFacts, context: GateContext): Omit<Finding, 'rule'> | undefined;
  /** Judges one path, relative to the workspace, that a command changed on its layer. */
  checkChange?(path: string, context: GateContext): Omit<Finding, 'rule'> | undefined;
}

/** The changes of a command before they are applied. */
export interface ChangeFacts {
  name: string;
  changes: readonly TreeChange[];
  /** Package files among them whose scripts differ. */
  scripts: readonly string[];
}
