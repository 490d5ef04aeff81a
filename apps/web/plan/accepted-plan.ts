import type { Conversation } from '@klaus/core/conversation';

export interface AcceptedPlan {
  /** Markdown, as it was accepted. */
  text: string;
  isEdited: boolean;
}

/** The plan that the user accepted last. */
export function findAcceptedPlan({ entries }: Pick<Conversation, 'entries'>): AcceptedPlan | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.kind !== 'call' || entry.asked?.subject.kind !== 'plan' || entry.answer?.answer !== 'approved') continue;
    const { plan } = entry.answer;
    return {
      text: plan ?? entry.asked.subject.plan,
      isEdited: plan !== undefined && plan !== entry.asked.subject.plan,
    };
  }
  return undefined;
}
