import type { EventOf } from '../../protocol/index.ts';

export interface CallPurpose {
  /** The command with its folder, or the complete input if it contains neither a command nor a path. */
  key: string;
  /** Files that the call names. Paths inside the workspace are relative to it. */
  paths: string[];
}

export interface FinishedCall {
  name: string;
  outcome: EventOf<'tool.finished'>['outcome'];
  /** Why it could not run, if that is no fault of the call. Absent otherwise. */
  failure?: 'sandbox.unavailable' | 'sandbox.failed' | 'store.full';
  /** True if the gate allowed the call and its effect began, regardless of the outcome. */
  began: boolean;
  /** True if the path rule denied the call without asking for an approval. */
  isClosedPlace: boolean;
  /** True for a plan that the user accepted. */
  isAcceptedPlan: boolean;
  purpose: CallPurpose;
  /** Files that the result lists as changed. */
  changed: string[];
}
