import type { Decision, Finding, Verdict } from '../protocol/index.ts';
import type { CallFacts, GateContext, Rule } from './rule.ts';
import { RULES } from './rules.ts';

const WEIGHT: Record<Verdict, number> = { deny: 2, ask: 1, allow: 0 };

/**
 * Judges a call before its effect. All rules run; deny wins over ask, ask over allow; without an allow the call is
 * denied; a rule that throws denies.
 */
export function decide(call: CallFacts, context: GateContext, rules: readonly Rule[] = RULES): Decision {
  const findings: Finding[] = [];
  for (const rule of rules) {
    try {
      const finding = rule.check(call, context);
      if (finding) findings.push({ rule: rule.name, ...finding });
    } catch (error) {
      const reason = `the rule failed: ${error instanceof Error ? error.message : String(error)}`;
      findings.push({ rule: rule.name, verdict: 'deny', reason });
    }
  }
  return combine(findings);
}

/** Combines findings into one decision; the first of the strongest verdict gives the reason. */
export function combine(findings: readonly Finding[]): Decision {
  let strongest: Finding | undefined;
  for (const finding of findings) {
    if (!strongest || WEIGHT[finding.verdict] > WEIGHT[strongest.verdict]) strongest = finding;
  }
  const deciding = strongest ?? { rule: 'gate', verdict: 'deny' as const, reason: 'no rule allows it' };
  return { verdict: deciding.verdict, rule: deciding.rule, reason: deciding.reason, findings: [...findings] };
}
