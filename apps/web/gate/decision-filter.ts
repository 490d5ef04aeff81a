import type { DecisionView } from '@klaus/server/contract';
import { toSubject } from '../conversation/subject.ts';

export const SHOWN = ['all', 'allow', 'ask', 'deny'] as const;

/** Which decisions are shown. An empty text means all. */
export interface DecisionFilter {
  verdict: (typeof SHOWN)[number];
  tool: string;
  /** A rule that decided, or that had a finding other than `allow`. */
  rule: string;
  text: string;
}

export const NO_FILTER: DecisionFilter = { verdict: 'all', tool: '', rule: '', text: '' };

/** The rules that a decision depends on. */
export function rulesOf({ rule, findings }: DecisionView): string[] {
  return [rule, ...findings.filter(({ verdict }) => verdict !== 'allow').map((finding) => finding.rule)];
}

/** @param toReason The reason in the language of the page. */
export function matchDecision(
  decision: DecisionView,
  { verdict, tool, rule, text }: DecisionFilter,
  toReason: (reason: string) => string,
): boolean {
  if (verdict !== 'all' && decision.verdict !== verdict) return false;
  if (tool !== '' && decision.tool !== tool) return false;
  if (rule !== '' && !rulesOf(decision).includes(rule)) return false;
  const searched = `${decision.tool} ${toSubject(decision.input)} ${decision.rule} ${toReason(decision.reason)}`;
  return searched.toLowerCase().includes(text.trim().toLowerCase());
}
