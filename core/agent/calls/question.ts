import { toCommandKey, toRelative, type Question } from '../../policy/index.ts';
import type { Decision, Escalation, EventOf, Hunk, Remembered } from '../../protocol/index.ts';
import { toQuestionEvent } from './call-events.ts';
import type { ApprovalAsked, ReadyCall } from './judged-call.ts';
import type { Intent } from '../ports/tool.ts';
import type { RunScripts } from './run-scripts.ts';
import type { CallState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

export function withAnswer<T extends Decision>(decision: T, call: CallState, isBound: boolean): T {
  const add = (verdict: 'allow' | 'deny', reason: string): T => ({
    ...decision,
    verdict,
    rule: 'approval',
    reason,
    findings: [...decision.findings, { rule: 'approval', verdict, reason }],
  });
  switch (call.answer) {
    case 'approved':
      // Not bound: the call would now do something else than was approved, so that it is asked about again.
      return isBound ? add('allow', call.hunks ? 'approved by the user in part' : 'approved by the user') : decision;
    case 'rejected':
      return add('deny', call.note === undefined ? 'rejected by the user' : `rejected by the user: ${call.note}`);
    case 'expired':
      return add('deny', 'no answer came in time');
    default:
      return decision;
  }
}

/** True if the answered question had the same subject: the call, the contents of files and scripts, the grant. */
export function bindsTo(before: EventOf<'approval.asked'> | undefined, now: ApprovalAsked): boolean {
  // The plan is a part of the call, which does not change.
  if (before?.subject.kind === 'plan') return now.subject.kind === 'plan' && now.subject.call === before.subject.call;
  if (before?.subject.kind !== 'call' || now.subject.kind !== 'call') return false;
  const key = (subject: Extract<ApprovalAsked['subject'], { kind: 'call' }>): string => {
    const { callHash, grantHash, before: hashes, scripts = [], rivals = [] } = subject;
    return JSON.stringify([callHash, grantHash, hashes, scripts, rivals]);
  };
  return key(before.subject) === key(now.subject);
}

export interface AskedInput {
  callHash: string;
  decision: Decision;
  hunks: readonly Hunk[];
  runs: RunScripts;
  remember?: Remembered;
  /** What the call needs beyond the grant of a child session. */
  escalation?: Escalation;
}

/** The question about a call, bound to its effect. */
export function toAsked(work: Work, { call, intent }: ReadyCall, input: AskedInput): ApprovalAsked {
  const { callHash, decision, hunks, runs, remember, escalation } = input;
  if (intent.plan !== undefined) {
    const { id, index, name } = call;
    const subject = { kind: 'plan' as const, call: id, index, name, plan: intent.plan };
    return toQuestionEvent(work, { subject, title: intent.title, reason: decision.reason });
  }
  return toQuestionEvent(work, {
    subject: {
      kind: 'call',
      call: call.id,
      index: call.index,
      name: call.name,
      callHash,
      before: (intent.changes ?? []).map(({ path, before }) => ({ path, hash: before })),
      grantHash: work.engine.ids.digest(toBoundGrant(work, intent)),
      diff: intent.diff,
      command: intent.command,
      ...(runs.scripts.length > 0 ? { scripts: [...runs.scripts] } : {}),
      ...(runs.rivals.length > 0 ? { rivals: [...runs.rivals] } : {}),
      ...(hunks.length > 0 ? { hunks: [...hunks] } : {}),
      remember,
      escalation,
    },
    title: intent.title,
    reason: decision.reason,
  });
}

/** What an approval is bound to: the authority of the session, and of the agent or the content of the call. */
function toBoundGrant({ authority }: Work, { child, content }: Intent): string {
  const version = authority.version();
  if (content !== undefined) return JSON.stringify([version, content]);
  return child ? JSON.stringify([version, child.agent, child.definition]) : version;
}

/** What an earlier approval is compared with; no command if a part of it, or a file that it runs, is not certain. */
export function toQuestion(
  { intent, input }: Pick<ReadyCall, 'intent' | 'input'>,
  of: { agent: string; tool: string; workspace: string; runs: RunScripts },
): Question {
  const commands = toCommandKeys(intent, of.workspace);
  if (intent.content !== undefined) return { agent: of.agent, tool: of.tool };
  if (intent.server !== undefined) return { agent: of.agent, tool: of.tool, server: intent.server };
  if (!commands || (commands.length > 0 && (!of.runs.isComplete || of.runs.rivals.length > 0)))
    return { agent: of.agent, tool: of.tool };
  const { cwd, background, survive } = (input ?? {}) as { cwd?: unknown; background?: unknown; survive?: unknown };
  if (commands.length > 0) {
    if (typeof cwd === 'string') commands.unshift(`(in ${cwd})`);
    // An approval of a command does not cover the same command in the background.
    if (background === true) commands.push(survive === true ? '(in the background, survives)' : '(in the background)');
    // An approval covers only the hosts that it named.
    for (const access of intent.access)
      if (access.kind === 'net') commands.push(`(reaches ${access.host} ${access.port})`);
  }
  const paths = intent.access.flatMap((access) =>
    access.kind === 'fs' ? [toRelative(access.path, of.workspace) ?? access.path] : [],
  );
  return {
    agent: of.agent,
    tool: of.tool,
    ...(commands.length > 0 ? { command: commands.join('\n') } : {}),
    ...(paths.length > 0 ? { paths: [...new Set(paths)] } : {}),
    ...(of.runs.scripts.length > 0 ? { scripts: of.runs.scripts } : {}),
  };
}

function toCommandKeys(intent: Intent, workspace: string): string[] | undefined {
  const keys = intent.access
    .filter((access) => access.kind === 'exec')
    .map(({ command }) => toCommandKey(command, workspace));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}
