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

/** A decision, with the question before it if it is the approval that answers one. */
export interface DecisionRow {
  decision: DecisionView;
  asked?: DecisionView;
}

/** One row for a question and its approval. A question whose approval is not in the list has a row of its own. */
export function toDecisionRows(decisions: readonly DecisionView[]): DecisionRow[] {
  const rows: DecisionRow[] = [];
  for (const decision of decisions) {
    const isApproval = decision.verdict === 'allow' && decision.rule === 'approval';
    const at = isApproval
      ? rows.findLastIndex(({ decision: { call, verdict } }) => verdict === 'ask' && call === decision.call)
      : -1;
    if (at < 0) rows.push({ decision });
    else rows.push({ decision, asked: rows.splice(at, 1)[0]!.decision });
  }
  return rows;
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
