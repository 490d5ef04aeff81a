import type { GuardText } from '../text/en-guard.ts';

/** The name of who decided. Reviewers have one name in all languages. */
export function toDeciderName(decider: string, { gate, late }: Pick<GuardText, 'gate' | 'late'>): string {
  return decider === 'gate' ? gate : decider === 'late' ? late : decider;
}
