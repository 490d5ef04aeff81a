import { decide } from '../policy/index.ts';
import { isKlausError, toKlausError, type Decision, type EventBody, type EventOf } from '../protocol/index.ts';
import type { Intent, Tool, ToolContext } from './ports/tool.ts';
import { openedOf, runOf, type CallState } from './state.ts';
import { createToolContext } from './tool-context.ts';
import type { Work } from './work.ts';

export type ToolFinished = Extract<EventBody, { type: 'tool.finished' }>;
type Decided = Extract<EventBody, { type: 'gate.decided' }>;
type Asked = Extract<EventBody, { type: 'approval.asked' }>;

/** A call that passed the gate. */
export interface Ready {
  call: CallState;
  tool: Tool<unknown>;
  input: unknown;
  intent: Intent;
  context: ToolContext;
}

/** What looking at a call came to: it may run, it has its result already, or a human is asked. */
export type Judged = { decided: Decided } & (
  | { kind: 'ready'; ready: Ready }
  | { kind: 'finished'; finished: ToolFinished }
  | { kind: 'asked'; asked: Asked }
);

/** Parses a call, finds out what it would touch, and asks the gate. Touches nothing. */
export async function judgeCall(work: Work, call: CallState): Promise<Judged> {
  const input = work.originals.has(call.id) ? work.originals.get(call.id) : call.input;
  const head = toHead(work, call);
  const callHash = work.engine.ids.digest(JSON.stringify([call.name, call.input ?? null]));
  const attempt = toAttempt(call);
  const refuse = (
    rule: string,
    error: { message: string; hint?: string | undefined },
    outcome: ToolFinished['outcome'],
  ): Judged => {
    const reason = error.message;
    const output = error.hint === undefined ? reason : `${reason} ${error.hint}`;
    const decided: Decided = {
      type: 'gate.decided',
      ...head,
      attempt,
      ...{ verdict: 'deny', rule, reason, callHash },
      findings: [{ rule, verdict: 'deny', reason }],
    };
    const detail = rule === 'input' ? { code: 'tool.input' } : undefined;
    return { kind: 'finished', decided, finished: toFinished(head, { outcome, output, detail }) };
  };

  let tool: Tool<unknown>;
  try {
    tool = work.engine.tools.get(call.name);
  } catch (error) {
    return refuse('tool', toKlausError(error), 'error');
  }
  let parsed: ReturnType<typeof tool.input.safeParse>;
  try {
    parsed = tool.input.safeParse(input);
  } catch (error) {
    return refuse('input', { message: `Invalid input for ${call.name}: ${toKlausError(error).message}.` }, 'error');
  }
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
    return refuse('input', { message: `Invalid input for ${call.name}: ${issues.slice(0, 8).join('; ')}.` }, 'error');
  }
  const context = await createToolContext(work, call.id);
  let intent: Intent;
  try {
    intent = (await tool.prepare?.(parsed.data, context)) ?? { title: call.name, access: [] };
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    if (!isKlausError(error)) return refuse('prepare', { message: `${call.name} failed: ${known.message}` }, 'error');
    return known.code === 'workspace.outside' ? refuse('path', known, 'denied') : refuse('prepare', known, 'error');
  }
  const ready: Ready = { call, tool, input: parsed.data, intent, context };
  return settle(work, ready, callHash);
}

/** Combines the gate's verdict with what a human may have said already. */
function settle(work: Work, ready: Ready, callHash: string): Judged {
  const { call, tool, intent } = ready;
  const { state, engine } = work;
  const head = toHead(work, call);
  const opened = openedOf(state);
  const facts = {
    name: call.name,
    effects: tool.effects,
    access: intent.access,
    altered: call.redacted && !work.originals.has(call.id),
  };
  const gate = {
    grant: state.grant,
    mode: state.mode,
    patchApproval: opened.patchApproval,
    workspace: opened.workspace,
    home: engine.home,
  };
  let decision = decide(facts, gate);
  const asked = toAsked(work, ready, { callHash, reason: decision.reason });
  // A human's no holds, also where the gate would not ask any more.
  if (decision.verdict === 'ask' || (decision.verdict === 'allow' && call.answer === 'rejected')) {
    decision = withAnswer(decision, call, bindsTo(call.asked, asked));
  }
  const decided: Decided = { type: 'gate.decided', ...head, attempt: toAttempt(call), ...decision, callHash };
  if (decision.verdict === 'allow') return { kind: 'ready', decided, ready };
  if (decision.verdict === 'deny') {
    const output = `Denied (${decision.rule}): ${decision.reason}.`;
    return { kind: 'finished', decided, finished: toFinished(head, { outcome: 'denied', output }) };
  }
  if (runOf(state).onAsk === 'wait') return { kind: 'asked', decided, asked };
  const output =
    `Denied: this needs an approval (${decision.reason}), and nobody is here to give it. ` +
    'The user can allow it by running with a wider --approve mode or with --on-ask wait.';
  return { kind: 'finished', decided, finished: toFinished(head, { outcome: 'denied', output }) };
}

function withAnswer(decision: Decision, call: CallState, isBound: boolean): Decision {
  const add = (verdict: 'allow' | 'deny', reason: string): Decision => ({
    verdict,
    rule: 'approval',
    reason,
    findings: [...decision.findings, { rule: 'approval', verdict, reason }],
  });
  switch (call.answer) {
    case 'approved':
      // What was approved is not what would happen now: ask again.
      return isBound ? add('allow', 'approved by a human') : decision;
    case 'rejected':
      return add('deny', call.note === undefined ? 'rejected by a human' : `rejected by a human: ${call.note}`);
    case 'expired':
      return add('deny', 'nobody answered in time');
    default:
      return decision;
  }
}

/** True when the answered question was about exactly this: the call, the files as they are, the grant. */
function bindsTo(before: EventOf<'approval.asked'> | undefined, now: Asked): boolean {
  if (before?.subject.kind !== 'call' || now.subject.kind !== 'call') return false;
  const key = ({ subject }: { subject: Asked['subject'] }): string =>
    subject.kind === 'call' ? JSON.stringify([subject.callHash, subject.grantHash, subject.before]) : '';
  return key(before) === key(now);
}

function toAsked(work: Work, ready: Ready, why: { callHash: string; reason: string }): Asked {
  const { call, intent } = ready;
  const { engine, state } = work;
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
      callHash: why.callHash,
      before: (intent.changes ?? []).map(({ path, before }) => ({ path, hash: before })),
      grantHash: engine.ids.digest(JSON.stringify(state.grant)),
      ...(intent.diff === undefined ? {} : { diff: intent.diff }),
      ...(intent.command === undefined ? {} : { command: intent.command }),
    },
    title: intent.title,
    reason: why.reason,
    expiresAt: engine.clock.now() + engine.settings.approvalTtlMs,
  };
}

export interface CallHead {
  run: string;
  turn: number;
  call: string;
  index: number;
  name: string;
}

/** The attempt that is about to be made, from 1. */
export function toAttempt(call: CallState): number {
  return (call.started?.attempt ?? 0) + 1;
}

/** What every event about a call begins with. */
export function toHead(work: Work, call: CallState): CallHead {
  return { run: runOf(work.state).id, turn: work.state.turn, call: call.id, index: call.index, name: call.name };
}

export function toFinished(
  head: CallHead,
  result: Partial<Omit<ToolFinished, 'type'>> & Pick<ToolFinished, 'outcome' | 'output'>,
): ToolFinished {
  const { detail, ...rest } = result;
  return {
    type: 'tool.finished',
    ...head,
    changes: [],
    durationMs: 0,
    ...rest,
    ...(detail === undefined ? {} : { detail }),
  };
}
