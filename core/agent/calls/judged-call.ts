import type { EventBody } from '../../protocol/index.ts';
import type { TextsBefore } from '../diagnostics/texts-before.ts';
import type { CallState } from '../state/state.ts';
import type { Intent, Tool, ToolContext } from '../ports/tool.ts';

export type ToolFinished = Extract<EventBody, { type: 'tool.finished' }>;
export type ApprovalAsked = Extract<EventBody, { type: 'approval.asked' }>;

/** A call of a known tool with a valid input. */
export interface ParsedCall {
  call: CallState;
  tool: Tool<unknown>;
  input: unknown;
  context: ToolContext;
}

/** A call that the gate allowed. */
export interface ReadyCall extends ParsedCall {
  intent: Intent;
  /** The texts that it replaces, for language servers. */
  before?: TextsBefore;
}

/** The decision about a call: it may run, it already has its result, or an approval is pending. */
export type JudgedCall = { decided: Extract<EventBody, { type: 'gate.decided' }> } & (
  | { kind: 'ready'; ready: ReadyCall }
  | { kind: 'finished'; finished: ToolFinished }
  | { kind: 'asked'; asked: ApprovalAsked }
);
