import type { Decision, Finding } from '../protocol/index.ts';
import { combine, toFinding } from './gate.ts';
import { askAboutScripts, lookAtWrite } from './path-rule.ts';
import type { ChangeFacts, GateContext, Rule } from './rule.ts';
import { isSecretFile } from './secrets/secret-files.ts';

export interface Review extends Decision {
  /** Paths whose changes are refused without a question. */
  refused: string[];
}

/**
 * Judges the changes of a command on its layer before they are applied. Refused changes never reach the workspace;
 * the others are allowed, or asked about together.
 *
 * @param rules Rules in addition to the built-in ones.
 */
export function review(facts: ChangeFacts, context: GateContext, rules: readonly Rule[] = []): Review {
  const findings: Finding[] = [];
  const refused: string[] = [];
  for (const { path, before } of facts.changes) {
    const look = lookAtWrite(path, { isNew: before === null });
    const others = rules.flatMap((rule) => toFinding(rule, () => rule.checkChange?.(path, context)) ?? []);
    if (look?.verdict === 'deny' || others.some(({ verdict }) => verdict === 'deny')) {
      refused.push(path);
      continue;
    }
    findings.push(...others);
    if (look) findings.push({ rule: 'path', ...look });
    else if (isSecretFile(path, context.secretPatterns))
      findings.push({ rule: 'path', verdict: 'ask', reason: `${path} is a secret file` });
  }
  for (const path of facts.scripts) findings.push({ rule: 'path', ...askAboutScripts(path) });
  findings.push(toEditFinding(context));
  if (refused.length === facts.changes.length && refused.length > 0) {
    const reason = `${refused[0]} may not be changed by a command`;
    return { verdict: 'deny', rule: 'path', reason, findings: [{ rule: 'path', verdict: 'deny', reason }], refused };
  }
  return { ...combine(dedupe(findings)), refused };
}

function toEditFinding({ mode, patchApproval, isolate }: GateContext): Finding {
  if (patchApproval) {
    const reason = 'every file change needs an approval (AGENT_REQUIRE_PATCH_APPROVAL)';
    return { rule: 'patch-approval', verdict: 'ask', reason };
  }
  if (isolate)
    return { rule: 'isolate', verdict: 'ask', reason: 'the session is isolated: what a command changed is reviewed' };
  if (mode === 'ask') return { rule: 'mode', verdict: 'ask', reason: 'mode ask asks before every change' };
  if (mode === 'plan') return { rule: 'mode', verdict: 'deny', reason: 'mode plan is read only' };
  return { rule: 'mode', verdict: 'allow', reason: `mode ${mode} lets edits in the workspace pass` };
}

/** A thousand files of one folder give a thousand findings; the log needs a few of them. */
function dedupe(findings: readonly Finding[]): Finding[] {
  return findings.length <= 20 ? [...findings] : [...findings.slice(0, 19), findings.at(-1)!];
}
