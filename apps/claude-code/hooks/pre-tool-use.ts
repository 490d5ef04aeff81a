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
import { areAllowed, isAllowed } from './allowed-calls.ts';
import { readProjectHooks } from './project-hooks.ts';
import { readChange } from './changed-text.ts';
import { type ClaudeCall, toClaudeCall } from './claude-tool.ts';
import { acknowledge, listAcknowledged, openErrors, toKind } from './guarded-session.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toPermission, toUpdatedInput } from './hook-answer.ts';
import { isPlan, judgeCall, toRealPath } from './judge-call.ts';
import type { GuardFinding } from './judge-context.ts';
import { readTranscript, toOutputs, toRequests } from './transcript.ts';

const INSTRUCTIONS = /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS)\.md$/i;

/**
 * Modes in which Claude Code asks about a call that a hook wants to be asked. In the others, such as `bypassPermissions`,
 * it runs some of these calls without a question. Source: measurements of 2.1.197 and 2.1.332.
 */
const ASKS: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'plan', 'manual']);

/**
 * Judges a call before it runs: the gate first, whose denial is final; then the reviewers, which only narrow. A denial of
 * a reviewer can be overturned by the words of the user.
 */
export async function beforeToolUse(context: HookContext): Promise<HookAnswer> {
  const call = toClaudeCall(context.event);
  const { began, wrote, fetched } = context.session;
  const gate = await judgeCall(call, {
    ...context,
    cwd: context.event.cwd,
    wrote: { since: began, paths: wrote, fetched },
    sandbox: context.sandbox?.(),
  });
  const reviews: ReviewVerdict[] = [];
  const { cwd, tool_name: tool, tool_input: input } = context.event;
  const key = toKey([context.root, cwd, tool, input]);
  const changed = await judgeProjectHooks(context, call);
  const found =
    gate.verdict === 'deny' ? gate : (changed?.finding ?? (await reviewCall(context, { call, gate, reviews })));
  const isOfUser = found.verdict === 'ask' && (await isAllowed(context, key));
  const isUnasked = found.verdict === 'ask' && !isOfUser && !ASKS.has(context.event.permission_mode ?? 'default');
  const { verdict, reason } = isOfUser
    ? { verdict: 'allow' as const, reason: 'the user allowed this call' }
    : escalate(context, isUnasked ? { ...found, verdict: 'deny' } : found);
  const id = await context.decided({
    text: toText(context.event.tool_input, call),
    verdict,
    rule: found.rule,
    reason,
    key: changed?.key ?? key,
    ...(reviews.length === 0 ? {} : { reviews: reviews.map(toReview) }),
  });
  if (isUnasked)
    return toPermission(
      verdict === 'allow' ? 'deny' : verdict,
      `Klaus: ${reason}. Claude Code asks no user in this mode. The user can allow this call for an hour, in a terminal: klaus guard allow ${id}`,
    );
  if (verdict !== 'allow') return toPermission(verdict, `Klaus: ${reason}`);
  const { instead } = gate;
  return instead === undefined ? NO_OBJECTION : toUpdatedInput({ ...context.event.tool_input, command: instead });
}

/** Asks about a call that hooks of the project can change after this judgement, until the user allows these hooks. */
async function judgeProjectHooks(
  context: HookContext,
  { kind }: ClaudeCall,
): Promise<{ finding: GuardFinding; key: string } | undefined> {
  const hooks = kind === 'harmless' || kind === 'read' || kind === 'agent' ? undefined : readProjectHooks(context.root);
  if (hooks === undefined) return undefined;
  const key = toKey([context.root, 'hooks', hooks.text]);
  if (await areAllowed(context, key)) return undefined;
  const reason = `hooks of the project (${hooks.files.join(', ')}) can change calls that the guard has judged. If you know them, allow them once with klaus guard allow and the id of this decision`;
  return { finding: { verdict: 'ask', rule: 'hooks', reason }, key };
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
    return { verdict: 'deny', rule: verdict.reviewer, reason: verdict.reason };
  }
  // A reviewer that answered replaces the question about a server that the guard cannot see into.
  const isTrusted = call.kind === 'mcp' && context.mcp === 'judge' && reviews.some(isModelPass);
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
  if (call.kind === 'read' || (gate.verdict === 'ask' && call.kind !== 'mcp')) return;
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
function escalate(
  { session, event }: HookContext,
  { verdict, rule, reason }: GuardFinding,
): Pick<GuardFinding, 'verdict' | 'reason'> {
  if (verdict !== 'deny') return { verdict, reason };
  const key = toDenialKey(toKind(event.tool_name), rule, reason);
  if (!isWorkaround(session.denials, key, Date.now())) return { verdict, reason };
  return { verdict, reason: toWorkaroundReason(reason) };
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
