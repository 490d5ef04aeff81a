import type { EventBody, EventOf } from '../protocol/index.ts';
import type { Closed } from './evidence/close-evidence.ts';
import type { Judged, Ready, ToolFinished } from './calls/judge-call.ts';
import type { Retry } from './model/retry.ts';
import type { CallState } from './loop/state.ts';

/**
 * What the loop found when it looked at the world, taken from a log instead. Only a replay has it: its engine has
 * no files, no commands and no network, so there is nothing left that a gate could guard. An engine that can touch
 * anything looks for itself.
 */
export interface RecordedLooks {
  /** What the gate said to a call whose input fits, and what a human had said. */
  judge(call: Omit<Ready, 'intent'>): Judged;
  /** What the call came to that a process which is gone had begun; `again`: it is judged and run once more. */
  recovered(call: CallState): ToolFinished | 'again';
  /** What the gate said to what a command changed on its layer; undefined: it changed nothing. */
  reviewed(call: CallState): EventBody[] | undefined;
  /** What became of changes that waited for a human. */
  settled(call: CallState): EventBody[];
  /** What was reverted, or reported, of protected places that a turn changed. */
  guarded(): { bodies: EventBody[]; unreverted: string[] };
  /** True where the run took another look before it ended. */
  looksLast(): boolean;
  /** Git object ids that were there before. */
  known(): NonNullable<EventOf<'workspace.snapshotted'>['known']>;
  /** Messages with what workspace files and the memory say, and the checkpoint at the end of a run. */
  context(): EventBody[];
  checkpointed(): EventBody[];
  /** How the checks of a run stood at its end; undefined: the record ends before. */
  closed(): Closed | undefined;
  /** How long was waited for another attempt; undefined: there was none. */
  retried(): Retry | undefined;
}
