import type { Finding } from '../../protocol/index.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';
import type { ReviewedDecision } from '../review/review-call.ts';
import { openedOf } from '../state/state.ts';
import { toHookedCalls, toToolNames } from './hook-input.ts';
import { channelOf, note } from '../channel/call-channel.ts';
import { chooseHooks, toHookSource } from './hooks.ts';
import { runHook } from './run-hook.ts';

/** Name of the findings of hooks in the log. */
const RULE = 'hook';

/**
 * The decision about a call, narrowed by the hooks before it. A denial or a failure denies, `ask` asks, anything else
 * changes nothing. The first denial counts. What the gate denies, and what the user does, no hook sees.
 */
export async function judgeByHooks(
  work: Work,
  ready: ReadyCall,
  decision: ReviewedDecision,
): Promise<ReviewedDecision> {
  const { call, intent } = ready;
  const { hooks = {} } = work.engine.settings;
  if (decision.verdict === 'deny' || call.by === 'user') return decision;
  const chosen = chooseHooks(hooks, 'PreToolUse', toToolNames(call.name, intent));
  let narrowed = decision;
  for (const one of chosen) {
    for (const hooked of toHookedCalls(ready, openedOf(work.state).workspace)) {
      const fields = { ...hooked, tool_use_id: call.id };
      const answer = await runHook(work, one, { event: 'PreToolUse', fields });
      if (work.stop.aborted) return decision;
      const finding = toFinding(one.name, answer);
      narrowed = { ...narrowed, findings: [...narrowed.findings, finding] };
      // The reason of a denial is part of the result.
      const channel = finding.verdict === 'allow' ? undefined : channelOf(ready.context);
      if (channel) note(channel, toHookSource(one));
      if (finding.verdict === 'deny') return { ...narrowed, ...finding };
      if (finding.verdict === 'ask' && narrowed.verdict === 'allow') narrowed = { ...narrowed, ...finding };
    }
  }
  return narrowed;
}

function toFinding(name: string, answer: Awaited<ReturnType<typeof runHook>>): Finding {
  if ('failure' in answer) return { rule: RULE, verdict: 'deny', reason: `${name} failed: ${answer.failure}` };
  if (answer.decision === 'none') return { rule: RULE, verdict: 'allow', reason: `${name}: no objection` };
  return { rule: RULE, verdict: answer.decision, reason: `${name}: ${answer.reason.replace(/\.$/, '')}` };
}
