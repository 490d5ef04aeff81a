import type { Remembered, Scope } from '../../protocol/index.ts';

/** An approval that the user gave for a call. Its scope can be changed later. */
export interface GivenApproval {
  /** Id of the call that it was given for. */
  call: string;
  scope: Scope;
  /** What it applies to with a scope beyond `once`, as the question offered it. */
  remember: Remembered;
}
