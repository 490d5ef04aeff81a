import { toKey } from './call-key.ts';
import { join } from 'node:path';
import {
  isBelow,
  isWorkaround,
  REVIEWERS,
  review,
  toDenialKey,
  toReview,
  toWorkaroundReason,
  type ReviewVerdict,
} from '@klaus/sdk/guard';
import { isAccepted, isAllowed } from './allowed-calls.ts';
import { readChange } from './changed-text.ts';
import { type ClaudeCall, toClaudeCall } from './claude-tool.ts';
import { acknowledge, listAcknowledged, openErrors, toKind } from './guarded-session.ts';
import { type HookContext, toJudging } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toPermission, toUpdatedInput } from './hook-answer.ts';
import { isPlan, judgeCall, toRealPath } from './judge-call.ts';
import type { GuardFinding, JudgeContext } from './judge-context.ts';
import { judgeInstructions, type LastingFinding } from './expansion/judge-instructions.ts';
import { MCP_RULE } from './judge-mcp.ts';
import { judgeProject, type ProjectFinding, toProjectHint } from './project/judge-project.ts';
import { readTranscript, toOutputs, toRequests } from './transcript.ts';

const INSTRUCTIONS = /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS)\.md$/i;

/**
 * Modes in which Claude Code asks about a call that a hook wants to be asked. In the others, such as `bypassPermissions`,
 * it runs some of these calls without a question. Source: measurements of 2.1.197 and 2.1.332.
 */
const ASKS: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'manual']);

/**
 * Judges a call before it runs: the gate first, whose denial is final; then the reviewers, which only narrow. A denial of
 * a reviewer can be overturned by the words of the user.
 */
export async function beforeToolUse(context: HookContext): Promise<HookAnswer> {
  const call = toClaudeCall(context.event);
  const judging: JudgeContext = {
    ...toJudging(context),
    isKnown: (text: string) => isAccepted(context, toKey([context.root, 'file', text])),
    sandbox: context.sandbox?.(),
  };
  const gate = await judgeCall(call, judging);
  const reviews: ReviewVerdict[] = [];
  const { cwd, tool_name: tool, tool_input: input } = context.event;
  // What the user allows for longer than a call is not allowed with the call.
  const lasting = await findLasting(context, judging, { call, gate });
  const key = lasting?.key ?? toKey([context.root, cwd, tool, input]);
  const found = lasting ?? (gate.verdict === 'deny' ? gate : await reviewCall(context, { call, gate, reviews }));
  const isOfUser = found.verdict === 'ask' && lasting === undefined && (await isAllowed(context, key));
  const isUnasked =
    found.verdict === 'ask' &&
    !isOfUser &&
    (lasting?.isAnswered === true || !ASKS.has(context.event.permission_mode ?? 'default'));
  const verdict = isOfUser ? 'allow' : isUnasked ? 'deny' : found.verdict;
  const reason = isOfUser
    ? 'the user allowed this call'
    : verdict === 'deny'
      ? toDenialReason(context, found)
      : found.reason;
  const id = await context.decided({
    text: toText(context.event.tool_input, call),
    verdict,
    rule: found.rule,
    reason,
    key,
    ...(reviews.length === 0 ? {} : { reviews: reviews.map(toReview) }),
  });
  if (verdict !== 'allow') {
    const hint =
      lasting !== undefined
        ? toProjectHint(id)
        : isUnasked
          ? `Claude Code asks no user in this mode. The user can allow this call for an hour, in a terminal: klaus guard allow ${id}`
          : undefined;
    return toPermission(verdict, `Klaus: ${reason}${hint === undefined ? '' : `. ${hint}`}`);
  }
  const { instead } = gate;
  return instead === undefined ? NO_OBJECTION : toUpdatedInput({ ...context.event.tool_input, command: instead });
}

/** A finding that the user allows until its files change. */
async function findLasting(
  context: HookContext,
  judging: JudgeContext,
  { call, gate }: { call: ClaudeCall; gate: GuardFinding },
): Promise<(LastingFinding & Partial<ProjectFinding>) | undefined> {
  if (gate.verdict === 'deny') return undefined;
  if (gate.lasting !== undefined) return { ...gate, key: toKey([context.root, 'file', gate.lasting]) };
  return judgeSurroundings(context, judging, call);
}

/** What other programs of the project and its instructions add to a call: programs can change it after this judgement. */
async function judgeSurroundings(
  context: HookContext,
  judging: JudgeContext,
  call: ClaudeCall,
): Promise<(LastingFinding & Partial<ProjectFinding>) | undefined> {
  const isOfProject = call.kind !== 'harmless' && call.kind !== 'read' && call.kind !== 'agent';
  return (isOfProject ? await judgeProject(context) : undefined) ?? (await judgeInstructions(context, judging, call));
}

interface Reviewing {
  call: ClaudeCall;
  gate: GuardFinding;
  /** Every verdict is added. */
  reviews: ReviewVerdict[];
}

async function reviewCall(context: HookContext, given: Reviewing): Promise<GuardFinding> {
  const { call, gate, reviews } = given;
  const late = context.late.shift();
  if (late !== undefined)
    return { verdict: 'deny', rule: 'late', reason: `a reviewer objects to an earlier call: ${late}` };
  // The setting of the user has decided about a call of a server that it lets pass.
  if (
    call.kind === 'harmless' ||
    call.kind === 'agent' ||
    (call.kind === 'read' && call.reads !== 'file' && gate.verdict === 'allow')
  )
    return gate;
  if (call.kind === 'mcp' && gate.verdict === 'allow') return gate;
  const transcript = await readTranscript(context.event.transcript_path);
  const request = context.session.prompts.length > 0 ? context.session.prompts : toRequests(transcript);
  for (const run of listReviews(context, { ...given, transcript, request })) {
    const verdict = await run();
    reviews.push(verdict);
    if (verdict.outcome === 'pass') continue;
    const appeal = await review(
      REVIEWERS['tool-appeal'],
      { ...toReviewed(context), denial: verdict.reason, request },
      { ...toOptions(context), mode: 'strict' },
    );
    reviews.push(appeal);
    if (appeal.outcome === 'pass') continue;
    // Further sentences follow it.
    return { verdict: 'deny', rule: verdict.reviewer, reason: verdict.reason.trim().replace(/\.$/, '') };
  }
  // A reviewer that answered replaces the question about a server that the guard cannot see into.
  const isTrusted =
    call.kind === 'mcp' && context.mcp === 'judge' && gate.rule === MCP_RULE && reviews.some(isModelPass);
  return isTrusted ? { verdict: 'allow', rule: 'tool-approve', reason: 'the reviewer has no objection' } : gate;
}

const isModelPass = ({ reviewer, decidedBy, outcome }: ReviewVerdict): boolean =>
  reviewer === 'tool-approve' && decidedBy === 'model' && outcome === 'pass';

/** The reviewers that concern a call, in order. */
function* listReviews(
  context: HookContext,
  {
    call,
    gate,
    transcript,
    request,
  }: Reviewing & { transcript: Awaited<ReturnType<typeof readTranscript>>; request: readonly string[] },
): Generator<() => Promise<ReviewVerdict>> {
  const options = toOptions(context);
  const { session } = context;
  const errors = openErrors(session, Date.now());
  if (errors.length > 0 && call.kind !== 'read') {
    const recent =
      transcript.length > 0 ? transcript.slice(-12) : errors.map((text) => ({ role: 'tool' as const, text }));
    yield async () => {
      const acknowledged = listAcknowledged(session, Date.now());
      const input = { next: toReviewed(context), recent, acknowledged };
      const verdict = await review(REVIEWERS['error-acknowledge'], input, options);
      // Each error is asked about once.
      session.errors = [];
      if (verdict.outcome === 'pass') acknowledge(session, toOutputs(recent), Date.now());
      return verdict;
    };
  }
  if (call.kind === 'write') {
    const change = readChange(call);
    const isInside = isBelow(toRealPath(call.path), context.root);
    if (change && isPlan(call.path))
      yield () =>
        review(
          REVIEWERS['plan-validate'],
          { request: [...request], plan: change.after, previous: change.before, complete: false },
          options,
        );
    else if (change && INSTRUCTIONS.test(call.path))
      yield () =>
        review(
          REVIEWERS['claude-md-validate'],
          { ...change, path: toName(call.path, context.root), request: [...request] },
          options,
        );
    else if (change && isInside)
      yield () =>
        review(
          REVIEWERS['style-drift'],
          { request: [...request], changes: [change.file(toName(call.path, context.root))] },
          options,
        );
    // A plan, and a trusted place that is not sensitive, need no approval.
    if (gate.verdict === 'allow' && (isInside || isPlan(call.path))) return;
  }
  // What the gate asks about is decided by the user.
  if (call.kind === 'read' || (gate.verdict === 'ask' && gate.rule !== MCP_RULE)) return;
  yield () => review(REVIEWERS['tool-approve'], { ...toReviewed(context), request: [...request] }, options);
}

function toOptions({ judge, cache, mode, signal, late }: HookContext) {
  const onLate = (verdict: ReviewVerdict): void => void (verdict.outcome === 'deny' && late.push(verdict.reason));
  return { judge, cache, mode, signal, onLate };
}

function toReviewed({ event, root }: HookContext) {
  return { tool: event.tool_name ?? '', input: event.tool_input ?? {}, root, cwd: event.cwd };
}

/** A third similar denial within a minute is an attempt to get around the first: only the user can help. */
function toDenialReason({ session, event }: HookContext, { rule, reason }: GuardFinding): string {
  const key = toDenialKey(toKind(event.tool_name), rule, reason);
  return isWorkaround(session.denials, key, Date.now()) ? toWorkaroundReason(reason) : reason;
}

function toName(path: string, root: string): string {
  const real = toRealPath(path);
  return isBelow(real, root) ? real.slice(join(root, '/').length) : path;
}

/** A call in one line. */
function toText(input: Readonly<Record<string, unknown>> = {}, call: ClaudeCall): string {
  switch (call.kind) {
    case 'command':
      return call.command;
    case 'read':
    case 'write':
      return call.path;
    case 'fetch':
      return call.url;
    default:
      return JSON.stringify(input);
  }
}
