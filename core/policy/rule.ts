import type { Access, Effect, Finding, Grant, Mode } from '../protocol/index.ts';

/** A call as the gate sees it. */
export interface CallFacts {
  name: string;
  effects: readonly Effect[];
  access: readonly Access[];
  /** True when redaction changed the input and the original is gone. */
  altered: boolean;
  /** True for what the engine does by the user's own setting, such as the checkpoint at the end of a run. */
  engine?: boolean;
}

export interface GateContext {
  grant: Grant;
  mode: Mode;
  /** Every file change asks, whatever the mode. */
  patchApproval: boolean;
  /** Absolute real path. */
  workspace: string;
  /** Klaus's own state, which no call may touch. */
  home: string;
}

/** One look at a call. Undefined: nothing to say. A throw counts as deny. */
export interface Rule {
  readonly name: string;
  check(call: CallFacts, context: GateContext): Omit<Finding, 'rule'> | undefined;
}
