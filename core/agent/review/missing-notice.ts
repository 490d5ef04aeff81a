import type { EventBody } from '../../protocol/index.ts';

const TEXT = 'No model is available for reviewers: only their rules apply in this session.';

/** Says once in a session that no model is available for its reviewers. */
export function toMissingNotice(run: string): EventBody {
  return { type: 'notice', run, level: 'warn', text: TEXT };
}

export function isMissingNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text === TEXT;
}
