import type { EventOf } from '@klaus/sdk';
import type { DriveState } from '@klaus/sdk/client';
import type { Activity } from '../connection/editor-peer.ts';
import { toErrorText } from '../connection/request-error.ts';
import { toPromptResponse, type RunFacts } from './stop-reason.ts';

/** @param finished The end of the last run, if no other has begun since. */
export function toActivity(
  state: DriveState | undefined,
  finished: EventOf<'run.finished'> | undefined,
  facts: RunFacts,
): Activity {
  if (state?.state === 'working' || state?.state === 'busy') return { state: 'running' };
  if (state?.state === 'parked') return { state: 'requires_action' };
  if (state?.state === 'failed') return { state: 'idle', stopReason: 'error', message: toErrorText(state.error) };
  if (!finished) return { state: 'idle' };
  try {
    const { stopReason } = toPromptResponse(finished, facts);
    return { state: 'idle', stopReason };
  } catch (error) {
    return { state: 'idle', stopReason: 'error', message: toErrorText(error) };
  }
}
