import { decide, findRemembered, isProgramPath, RULES, toRemembered } from '../../policy/index.ts';
import {
  optional,
  isKlausError,
  toKlausError,
  USE_TOOL,
  type Access,
  type Decision,
  type EventBody,
  type Remembered,
} from '../../protocol/index.ts';
import { toEditParts } from '../workspace/change-parts.ts';
import { agentOf, toGateContext } from './gate-context.ts';
import { findScriptChanges } from './package-scripts.ts';
import { unlessStopped } from '../workspace/snapshot-workspace.ts';
import { findFurtherPlaces } from '../places/further-places.ts';
import { listRunning } from './processes.ts';
import { findRunScripts, NO_SCRIPTS, type RunScripts } from './run-scripts.ts';
import type { Intent, Tool, ToolContext } from '../ports/tool.ts';
import type { Workspace } from '../ports/workspace.ts';
import { bindsTo, toAsked, toQuestion, withAnswer, type Asked } from './question.ts';
import { openedOf, runOf, type CallState } from '../loop/state.ts';
import { takeHunks } from './take-hunks.ts';
import { createToolContext } from './tool-context.ts';
import type { Work } from '../loop/work.ts';

export type ToolFinished = Extract<EventBody, { type: 'tool.finished' }>;
type Decided = Extract<EventBody, { type: 'gate.decided' }>;

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

const WRONG_USE =
  'Invalid input for use_tool: it takes name, the name of another tool, and input, an object with the fields of that tool. tool_search shows them.';

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

  if (call.name === USE_TOOL) return refuse('input', { message: WRONG_USE }, 'error');
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
  if (work.engine.recorded) return work.engine.recorded.judge({ call, tool, input: parsed.data, context });
  let intent: Intent;
  try {
    intent = (await tool.prepare?.(parsed.data, context)) ?? { title: call.name, access: [] };
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    if (!isKlausError(error)) return refuse('prepare', { message: `${call.name} failed: ${known.message}` }, 'error');
    return known.code === 'workspace.outside' ? refuse('path', known, 'denied') : refuse('prepare', known, 'error');
  }
  const ready: Ready = { call, tool, input: parsed.data, intent, context };
  return await settle(work, ready, callHash);
}

/** Combines the gate's verdict with what a human may have said already. */
async function settle(work: Work, found: Ready, callHash: string): Promise<Judged> {
  const { call, intent, context } = found;
  const { state } = work;
  const head = toHead(work, call);
  const scripts = await findScriptChanges(context.workspace, intent.edits);
  const judged = await judgeIntent(work, found, scripts);
  const parts = intent.edits && judged.decision.verdict === 'ask' ? await toEditParts(context.workspace, intent) : [];
  const asked = toAsked(work, found, { callHash, ...judged, hunks: parts.flatMap((part) => part.hunks) });
  let { decision } = judged;
  // A human's no holds, also where the gate would not ask any more.
  if (decision.verdict === 'ask' || (decision.verdict === 'allow' && call.answer === 'rejected')) {
    decision = withAnswer(decision, call, bindsTo(call.asked, asked));
  }
  const decided: Decided = { type: 'gate.decided', ...head, attempt: toAttempt(call), ...decision, callHash };
  if (decision.verdict === 'allow') {
    const { hunks: answer } = call;
    const digest = (text: string): string => work.engine.ids.digest(text);
    const isPart = answer !== undefined && decision.rule === 'approval';
    return { kind: 'ready', decided, ready: isPart ? takeHunks(found, { parts, answer, digest }) : found };
  }
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

/** What the rules say, and whether an earlier approval answers what they ask. */
async function judgeIntent(
  work: Work,
  { call, tool, intent, input, context }: Ready,
  scripts: readonly string[],
): Promise<{ decision: Decision; runs: RunScripts; remember?: Remembered }> {
  const { engine, state } = work;
  const linked = intent.access.some((access) => access.kind === 'fs' && access.right === 'w')
    ? await findLinked(work)
    : [];
  const facts = {
    name: call.name,
    effects: tool.effects,
    access: await withOtherNames(work, intent.access),
    altered: call.redacted && !work.originals.has(call.id),
    scripts,
    linked,
    readOnly: await findReadOnly(context.workspace, intent),
    ...(tool.inPlace ? { inPlace: true } : {}),
  };
  const gate = toGateContext(work);
  const found = decide(facts, gate, [...RULES, ...engine.rules]);
  // Only an answer is bound to them: what needs none is spared the look.
  if (found.verdict !== 'ask') return { decision: found, runs: NO_SCRIPTS };
  const digest = (text: string): string => engine.ids.digest(text);
  const running = (): string[] => listRunning(work);
  const runs = await findRunScripts(context.workspace, intent.access, { digest, running });
  const decision = { ...found, reason: toReason(found.reason, runs) };
  const agent = agentOf(work);
  const question = toQuestion({ intent, input }, { agent, tool: call.name, workspace: gate.workspace, runs });
  const remember = toRemembered(question, decision);
  const all = [...(await engine.remembered(gate.workspace, agent)), ...state.remembered];
  const earlier = findRemembered(all, question, decision);
  const rest = { runs, ...(remember ? { remember } : {}) };
  if (earlier.kind === 'missed')
    return { decision: { ...decision, reason: `${decision.reason}; ${earlier.why}` }, ...rest };
  if (earlier.kind === 'none' || call.answer === 'rejected') return { decision, ...rest };
  const finding = { rule: 'remembered', verdict: 'allow' as const, reason: 'approved before, for longer than once' };
  return { decision: { ...finding, findings: [...decision.findings, finding] }, ...rest };
}

/** Write permission of anybody. */
const WRITABLE = 0o222;

/** Files that a call would change although their mode lets nobody write. Somebody meant that. */
async function findReadOnly(workspace: Workspace, { edits = [] }: Intent): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of edits) {
    const state = await workspace.stat(path);
    if (state?.kind === 'file' && (state.mode & WRITABLE) === 0) found.push(path);
  }
  return found;
}

/** A file is also what it is by its other names: a policy for one of them is one for the file. */
async function withOtherNames(work: Work, access: readonly Access[]): Promise<Access[]> {
  const found = await Promise.all(
    access.map(async (one): Promise<Access[]> => {
      if (one.kind !== 'fs') return [one];
      return [one, ...(await work.otherNames(one.path)).map((path) => ({ ...one, path }))];
    }),
  );
  return found.flat();
}

/** What whoever answers has to know: that "curl" is not the machine's, and that what runs may not stay as it is. */
function toReason(reason: string, { scripts, rivals }: RunScripts): string {
  const programs = scripts.map(({ path }) => path).filter(isProgramPath);
  return [
    reason,
    ...(programs.length > 0 ? [`it runs ${programs.join(', ')}`] : []),
    ...(rivals.length > 0
      ? [`${rivals.join(', ')} can change the scripts that it runs; stop it first if in doubt`]
      : []),
  ].join('; ');
}

/** What protected places lead to, in the last state of the workspace that is known. */
async function findLinked(work: Work): Promise<readonly string[]> {
  const { state } = work;
  if (openedOf(state).snapshots === false) return [];
  const snapshots = await work.snapshots();
  const known = state.openSnapshot ?? state.left;
  if (known) return findFurtherPlaces(snapshots, known);
  const tree = await unlessStopped(work, () => snapshots.snapshot({ signal: work.stop }));
  // No effect begins then.
  if (tree === undefined) return [];
  return findFurtherPlaces(snapshots, { tree, gitTree: await snapshots.snapshotGit(tree) });
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
export function toHead(work: Pick<Work, 'state'>, call: CallState): CallHead {
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
    ...optional({ detail }),
  };
}
