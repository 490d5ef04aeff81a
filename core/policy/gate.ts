import { type Decision, type Finding, type Verdict, messageOf } from '../protocol/index.ts';
import type { CallFacts, GateContext, Rule } from './rule.ts';
import { RULES } from './rules.ts';

const WEIGHT: Record<Verdict, number> = { deny: 2, ask: 1, allow: 0 };

/**
 * Judges a call before its effect. All rules run; deny wins over ask, ask over allow; without an allow the call is
 * denied; a rule that throws denies.
 */
export function decide(call: CallFacts, context: GateContext, rules: readonly Rule[] = RULES): Decision {
  return combine(rules.flatMap((rule) => toFinding(rule, () => rule.check(call, context)) ?? []));
}

/** What a rule finds. A rule that throws denies. */
export function toFinding(rule: Rule, check: () => Omit<Finding, 'rule'> | undefined): Finding | undefined {
  try {
    const finding = check();
    return finding && { rule: rule.name, ...finding };
  } catch (error) {
    const reason = `the rule failed: ${messageOf(error)}`;
    return { rule: rule.name, verdict: 'deny', reason };
  }
}

/** Combines findings into one decision; the first of the strongest verdict gives the reason. */
export function combine(findings: readonly Finding[]): Decision {
  const none: Finding = { rule: 'gate', verdict: 'deny', reason: 'no rule allows it' };
  const [deciding = none] = findings.toSorted((a, b) => WEIGHT[b.verdict] - WEIGHT[a.verdict]);
  return { verdict: deciding.verdict, rule: deciding.rule, reason: deciding.reason, findings: [...findings] };
}
