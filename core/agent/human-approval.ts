import type { EventBody } from '../protocol/index.ts';

/** Rules whose allow is the word of a human. */
const HUMAN_RULES: ReadonlySet<string> = new Set(['approval', 'remembered']);

/** True for a decision by which a human let a call pass. */
export function isApproval(body: EventBody): boolean {
  return body.type === 'gate.decided' && body.verdict === 'allow' && HUMAN_RULES.has(body.rule);
}
