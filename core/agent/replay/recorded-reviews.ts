import type { Event } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { isMissingNotice } from '../review/missing-notice.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/**
 * Appends the recorded requests of the reviewers of a call, which precede its decision. Their questions are about files,
 * which a replay does not read. Ends the loop where the recorded process ended between them.
 */
export async function appendReviews(work: Work, recording: Recording): Promise<void> {
  let isAsked = false;
  for (;;) {
    const { next } = recording;
    if (next?.type === 'model.attempted' && isReview(next)) {
      // Another process charged it.
      if (next.outcome === 'abandoned') recording.crash();
      if (next.outcome === 'cancelled') recording.cancel();
    } else if (isAsked && next?.type === 'usage.counted') return recording.depart();
    if (!next || !isReview(next)) break;
    isAsked = true;
    await work.append([toBody(next)]);
    if (work.stop.aborted) return;
  }
  // Commands are applied between two steps, so that another process continued here.
  if (isAsked && (recording.next === undefined || recording.inbox().length > 0)) recording.crash();
}

function isReview(event: Event): boolean {
  if (event.type === 'model.requested' || event.type === 'model.attempted') return event.purpose === 'review';
  return isMissingNotice(toBody(event));
}
