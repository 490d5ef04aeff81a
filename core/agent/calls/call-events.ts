import type { Decision, ErrorCode, Review } from '../../protocol/index.ts';
import { openedOf, runOf, type CallState, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import type { ApprovalAsked, JudgedCall, ToolFinished } from './judged-call.ts';

/** The fields that every event about a call starts with. */
export type CallHead = Pick<ToolFinished, 'run' | 'turn' | 'call' | 'index' | 'name'>;

/** The number of the next attempt, from 1. */
export function toAttempt(call: CallState): number {
  return (call.started?.attempt ?? 0) + 1;
}

export function toHead({ state }: { state: State }, call: CallState): CallHead {
  return { run: runOf(state).id, turn: state.turn, call: call.id, index: call.index, name: call.name };
}

export function toCallHash(
  { engine }: Pick<Work, 'engine'>,
  { name, input }: Pick<CallState, 'name' | 'input'>,
): string {
  return engine.ids.digest(JSON.stringify([name, input ?? null]));
}

export function toDecided(
  work: Work,
  call: CallState,
  decision: Decision & { reviews?: Review[] },
): JudgedCall['decided'] {
  const callHash = toCallHash(work, call);
  return { type: 'gate.decided', ...toHead(work, call), attempt: toAttempt(call), ...decision, callHash };
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
    detail,
  };
}

/** A question to the user. It expires after the time of the settings. */
export function toQuestionEvent(
  { engine, state, authority }: Work,
  question: Pick<ApprovalAsked, 'subject' | 'title' | 'reason'>,
): ApprovalAsked {
  const expiresAt = engine.clock.now() + engine.settings.approvalTtlMs;
  const head = { run: runOf(state).id, approval: engine.ids.ulid(), turn: state.turn };
  const links = authority.chain().map(({ session, agent = 'klaus' }) => ({ session, agent }));
  const chain = links.length > 1 ? { chain: links } : {};
  const held = openedOf(state).runner ? { held: true as const } : {};
  return { type: 'approval.asked', ...head, ...question, expiresAt, ...held, ...chain };
}

/** Codes that repeat the outcome. */
const PLAIN_CODES: ReadonlySet<ErrorCode> = new Set(['tool.failed', 'internal', 'cancelled']);

/** The code of an error for clients, which then need not read its text. */
export function toErrorDetail({ code }: { code: ErrorCode }): { code: ErrorCode } | undefined {
  return PLAIN_CODES.has(code) ? undefined : { code };
}

/** Why a call is refused before the rules of the gate are evaluated. */
export interface Refusal {
  rule: string;
  error: { message: string; hint?: string };
  /** For clients. Default: none. */
  detail?: { code: ErrorCode };
  /** Default `error`. */
  outcome?: ToolFinished['outcome'];
}

export function refuseCall(
  work: Work,
  call: CallState,
  { rule, error, detail, outcome = 'error' }: Refusal,
): JudgedCall {
  const reason = error.message;
  const output = error.hint === undefined ? reason : `${reason} ${error.hint}`;
  const head = toHead(work, call);
  return {
    kind: 'finished',
    decided: {
      type: 'gate.decided',
      ...head,
      attempt: toAttempt(call),
      ...{ verdict: 'deny', rule, reason, callHash: toCallHash(work, call) },
      findings: [{ rule, verdict: 'deny', reason }],
    },
    finished: toFinished(head, { outcome, output, detail }),
  };
}
