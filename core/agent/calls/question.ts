import { toCommandKey, toRelative, type Question } from '../../policy/index.ts';
import type { Decision, EventOf, Hunk, Remembered } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import type { ApprovalAsked, ReadyCall } from './judged-call.ts';
import type { Intent } from '../ports/tool.ts';
import type { RunScripts } from './run-scripts.ts';
import { runOf, type CallState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** The decision with what a human said to the question, where somebody did. */
export function withAnswer(decision: Decision, call: CallState, isBound: boolean): Decision {
  const add = (verdict: 'allow' | 'deny', reason: string): Decision => ({
    verdict,
    rule: 'approval',
    reason,
    findings: [...decision.findings, { rule: 'approval', verdict, reason }],
  });
  switch (call.answer) {
    case 'approved':
      // What was approved is not what would happen now: ask again.
      return isBound ? add('allow', call.hunks ? 'approved by a human in part' : 'approved by a human') : decision;
    case 'rejected':
      return add('deny', call.note === undefined ? 'rejected by a human' : `rejected by a human: ${call.note}`);
    case 'expired':
      return add('deny', 'nobody answered in time');
    default:
      return decision;
  }
}

/** True when the answered question was about exactly this: the call, the files and scripts as they are, the grant. */
export function bindsTo(before: EventOf<'approval.asked'> | undefined, now: ApprovalAsked): boolean {
  if (before?.subject.kind !== 'call' || now.subject.kind !== 'call') return false;
  const key = ({ subject }: { subject: ApprovalAsked['subject'] }): string =>
    subject.kind === 'call'
      ? JSON.stringify([
          subject.callHash,
          subject.grantHash,
          subject.before,
          subject.scripts ?? [],
          subject.rivals ?? [],
        ])
      : '';
  return key(before) === key(now);
}

export interface AskedInput {
  callHash: string;
  decision: Decision;
  hunks: readonly Hunk[];
  /** Files that the call runs. */
  runs: RunScripts;
  remember?: Remembered;
}

/** The question about a call, bound to what it would do. */
export function toAsked(work: Work, { call, intent }: ReadyCall, input: AskedInput): ApprovalAsked {
  const { engine, state } = work;
  const { callHash, decision, hunks, runs, remember } = input;
  return {
    type: 'approval.asked',
    run: runOf(state).id,
    approval: engine.ids.ulid(),
    turn: state.turn,
    subject: {
      kind: 'call',
      call: call.id,
      index: call.index,
      name: call.name,
      callHash,
      before: (intent.changes ?? []).map(({ path, before }) => ({ path, hash: before })),
      grantHash: engine.ids.digest(JSON.stringify(state.grant)),
      ...optional({ diff: intent.diff, command: intent.command }),
      ...(runs.scripts.length > 0 ? { scripts: [...runs.scripts] } : {}),
      ...(runs.rivals.length > 0 ? { rivals: [...runs.rivals] } : {}),
      ...(hunks.length > 0 ? { hunks: [...hunks] } : {}),
      ...(remember ? { remember } : {}),
    },
    title: intent.title,
    reason: decision.reason,
    expiresAt: engine.clock.now() + engine.settings.approvalTtlMs,
  };
}

/**
 * What of a call an earlier approval can be compared with; nothing where a part of a command, or a file that it
 * runs, is only known when it runs, or where a background process can exchange that file.
 */
export function toQuestion(
  { intent, input }: Pick<ReadyCall, 'intent' | 'input'>,
  of: { agent: string; tool: string; workspace: string; runs: RunScripts },
): Question {
  const commands = toCommandKeys(intent, of.workspace);
  if (!commands || (commands.length > 0 && (!of.runs.isComplete || of.runs.rivals.length > 0)))
    return { agent: of.agent, tool: of.tool };
  const { cwd, background, survive } = (input ?? {}) as { cwd?: unknown; background?: unknown; survive?: unknown };
  if (commands.length > 0 && typeof cwd === 'string') commands.unshift(`(in ${cwd})`);
  // What ends with its call is not what goes on without an end, or without Klaus.
  if (commands.length > 0 && background === true)
    commands.push(survive === true ? '(in the background, survives)' : '(in the background)');
  // What was approved without the network, or with less of it, says nothing about the network.
  for (const access of intent.access)
    if (commands.length > 0 && access.kind === 'net') commands.push(`(reaches ${access.host} ${access.port})`);
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
  const keys: string[] = [];
  for (const access of intent.access) {
    if (access.kind !== 'exec') continue;
    const key = toCommandKey(access.command, workspace);
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return keys;
}
