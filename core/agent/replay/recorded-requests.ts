import type { Event, EventOf } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { isMissingNotice } from '../review/missing-notice.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/**
 * Appends the recorded requests of the reviewers of a call, which precede its decision, or those of the search of a call.
 * They depend on files and on the web, which a replay does not read. Ends the loop where the recorded process ended
 * between them.
 */
export async function appendRequests(work: Work, recording: Recording, purpose: 'review' | 'search'): Promise<void> {
  const isRequest = (event: Event): event is EventOf<'model.requested' | 'model.attempted'> =>
    (event.type === 'model.requested' || event.type === 'model.attempted') && event.purpose === purpose;
  const isNext = (event: Event): boolean =>
    isRequest(event) || (purpose === 'review' && isMissingNotice(toBody(event)));
  let isAsked = false;
  for (;;) {
    const { next } = recording;
    if (next?.type === 'model.attempted' && isRequest(next)) {
      // Another process charged it.
      if (next.outcome === 'abandoned') recording.crash();
      // The result of a call contains its own cancel.
      if (next.outcome === 'cancelled' && purpose === 'review') recording.cancel();
    } else if (isAsked && next?.type === 'usage.counted') return recording.depart();
    if (!next || !isNext(next)) break;
    isAsked = true;
    await work.append([toBody(next)]);
    if (work.stop.aborted) return;
  }
  // Commands are applied between two steps, so that another process continued here.
  if (isAsked && (recording.next === undefined || recording.inbox().length > 0)) recording.crash();
}
