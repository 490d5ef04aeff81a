import type { EventBody } from '../../protocol/index.ts';

/** Rules whose allow is the word of a human. */
const HUMAN_RULES: ReadonlySet<string> = new Set(['approval', 'remembered']);

/** Rules that ask about what a call reaches or says, and not about what it does to files. */
const OTHER_RULES: ReadonlySet<string> = new Set(['grant', 'redaction']);

/** True for a rule whose allow is the word of a human. */
export function isHumanRule(rule: string | undefined): boolean {
  return rule !== undefined && HUMAN_RULES.has(rule);
}

/**
 * True for a decision by which a human let a call pass with what it does to protected places and refs. A question about
 * the network alone says nothing of them.
 */
export function isApproval(body: EventBody): boolean {
  if (body.type !== 'gate.decided' || body.verdict !== 'allow' || !HUMAN_RULES.has(body.rule)) return false;
  const asked = body.findings.filter(({ verdict }) => verdict === 'ask');
  return asked.length === 0 || asked.some(({ rule }) => !OTHER_RULES.has(rule));
}
