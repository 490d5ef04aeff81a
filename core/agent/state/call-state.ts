import type { EventOf, HunkAnswer } from '../../protocol/index.ts';
import type { CutCall } from './cut-call.ts';

/** A call of the last answer, until its result is in the history. */
export interface CallState {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly input: unknown;
  /** True when redaction changed the logged input. */
  readonly redacted: boolean;
  /** Present for a command that the user entered. */
  readonly by?: 'user';
  /** Present if the answer was cut off within the call, which is then not run. */
  cut?: CutCall;
  /** The attempt without a result, if there is one. */
  started?: EventOf<'tool.started'>;
  /** The last question about this call, if there is one. */
  asked?: EventOf<'approval.asked'>;
  answer?: 'approved' | 'rejected' | 'expired';
  note?: string;
  /** The last decision of the gate. */
  decided?: Pick<EventOf<'gate.decided'>, 'verdict' | 'rule'>;
  /** The accepted hunks, if not all were accepted. */
  hunks?: HunkAnswer;
  /** The plan as the user edited it. */
  plan?: string;
  finished?: Pick<EventOf<'tool.finished'>, 'outcome' | 'output' | 'images'>;
  /** The child sessions for which the call waits. */
  awaits?: { children: Set<string>; any: boolean };
}
