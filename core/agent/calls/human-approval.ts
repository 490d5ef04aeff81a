import type { EventBody } from '../../protocol/index.ts';
import { REVIEWER_NAMES } from '../../protocol/settings/reviewer-settings.ts';

/** Rules that allow a call because a user approved it. */
const HUMAN_RULES: ReadonlySet<string> = new Set(['approval', 'remembered']);

/** Rules that do not concern the files that a call changes. */
const OTHER_RULES: ReadonlySet<string> = new Set(['grant', 'redaction', ...REVIEWER_NAMES]);

export function isHumanRule(rule: string | undefined): boolean {
  return rule !== undefined && HUMAN_RULES.has(rule);
}

/** True if a user approved the changes of a call to protected places and refs, and not only its network access. */
export function isApproval(body: EventBody): boolean {
  if (body.type !== 'gate.decided' || body.verdict !== 'allow' || !HUMAN_RULES.has(body.rule)) return false;
  const asked = body.findings.filter(({ verdict }) => verdict === 'ask');
  return asked.length === 0 || asked.some(({ rule }) => !OTHER_RULES.has(rule));
}
