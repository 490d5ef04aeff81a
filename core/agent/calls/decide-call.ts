import {
  decide,
  findRemembered,
  isProgramPath,
  isWorkaround,
  RULES,
  toDenialKey,
  toRemembered,
  toWorkaroundReason,
} from '../../policy/index.ts';
import {
  isKlausError,
  toKlausError,
  type Access,
  type Decision,
  type Escalation,
  type Remembered,
} from '../../protocol/index.ts';
import { openedOf, runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { describePresenting } from '../context/plan-mode.ts';
import type { Intent } from '../ports/tool.ts';
import type { Workspace } from '../ports/workspace.ts';
import { toEditParts } from '../workspace/change-parts.ts';
import { unlessStopped } from '../workspace/snapshot-workspace.ts';
import { canSend, channelOf, withSource } from '../channel/call-channel.ts';
import { coversOf } from './approval-scope.ts';
import { acceptHunks } from './accept-hunks.ts';
import { readHostFacts } from '../host/host-facts.ts';
import { refuseCall, toCallHash, toDecided, toErrorDetail, toFinished, toHead } from './call-events.ts';
import { toEscalation } from '../children/escalation.ts';
import { agentOf, toGateContext } from './gate-context.ts';
import type { JudgedCall, ParsedCall, ReadyCall } from './judged-call.ts';
import { findNewPlaces } from '../places/new-places.ts';
import { findScriptChanges } from './package-scripts.ts';
import { listRunning } from '../processes/process-events.ts';
import { bindsTo, toAsked, toQuestion, withAnswer } from './question.ts';
import { readTextsBefore } from '../diagnostics/report-problems.ts';
import { findFurtherPlaces, findNamedPlaces } from '../places/further-places.ts';
import { judgeByHooks } from '../hooks/judge-hooks.ts';
import { reviewCall, type ReviewedDecision } from '../review/review-call.ts';
import { findRunScripts, NO_SCRIPTS, type RunScripts } from './run-scripts.ts';

/** Decides about a call. A text of others in its result, such as the reason of a server for refusing it, is marked. */
export async function decideCall(work: Work, parsed: ParsedCall): Promise<JudgedCall> {
  const judged = await judgeParsed(work, parsed);
  if (judged.kind !== 'finished') return judged;
  const { tool, context } = parsed;
  // A denial is a text of the gate, unless a hook gave the reason.
  const origin = judged.finished.outcome !== 'denied' && tool.origin === 'others' ? 'others' : 'channel';
  const redact = (text: string): string => work.redactor.redact(text);
  const from = { tool: { ...tool, origin } as const, channel: channelOf(context), redact };
  return { ...judged, finished: withSource(judged.finished, from) };
}

async function judgeParsed(work: Work, parsed: ParsedCall): Promise<JudgedCall> {
  const { call, tool, input, context } = parsed;
  let intent: Intent;
  try {
    intent = (await tool.prepare?.(input, context)) ?? { title: call.name, access: [] };
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    if (!isKlausError(error))
      return refuseCall(work, call, { rule: 'prepare', error: { message: `${call.name} failed: ${known.message}` } });
    return known.code === 'workspace.outside'
      ? refuseCall(work, call, { rule: 'path', error: known, outcome: 'denied' })
      : refuseCall(work, call, { rule: 'prepare', error: known, detail: toErrorDetail(known) });
  }
  return resolveVerdict(work, { ...parsed, intent });
}

/** Combines the verdict of the gate with the answer of an earlier approval. */
async function resolveVerdict(work: Work, found: ReadyCall): Promise<JudgedCall> {
  const { call, intent, context } = found;
  const head = toHead(work, call);
  const callHash = toCallHash(work, call);
  const scripts = await findScriptChanges(context.workspace, intent.edits);
  const judged = await judgeIntent(work, found, scripts);
  const parts = intent.edits && judged.decision.verdict === 'ask' ? await toEditParts(context.workspace, intent) : [];
  const asked = toAsked(work, found, { callHash, ...judged, hunks: parts.flatMap((part) => part.hunks) });
  let { decision } = judged;
  // A rejection also applies if the gate would no longer ask.
  if (decision.verdict === 'ask' || (decision.verdict === 'allow' && call.answer === 'rejected')) {
    decision = withAnswer(decision, call, bindsTo(call.asked, asked));
  }
  const decided = toDecided(work, call, decision);
  if (decision.verdict === 'allow') {
    const { hunks: answer } = call;
    const isPart = answer !== undefined && decision.rule === 'approval';
    const ready = isPart ? acceptHunks(found, { parts, answer, ids: work.engine.ids }) : withAcceptedPlan(found);
    const before = await readTextsBefore(work, context.workspace, intent);
    return { kind: 'ready', decided, ready: { ...ready, before } };
  }
  if (decision.verdict === 'ask' && runOf(work.state).onAsk === 'wait') return { kind: 'asked', decided, asked };
  // Without a user, a plan is a good answer, and not a denied action.
  const outcome = decision.verdict === 'ask' && intent.plan !== undefined ? 'error' : 'denied';
  return {
    kind: 'finished',
    decided,
    finished: toFinished(head, { outcome, output: toDenial(work, found, decision) }),
  };
}

/** The plan as the user edited it. */
function withAcceptedPlan(ready: ReadyCall): ReadyCall {
  const { plan } = ready.call;
  return plan === undefined ? ready : { ...ready, intent: { ...ready.intent, plan } };
}

/** The result of a call that may not run. */
function toDenial({ state, engine }: Work, { intent, call }: ReadyCall, { verdict, rule, reason }: Decision): string {
  const isPlan = intent.plan !== undefined;
  if (verdict === 'deny') {
    const text = `Denied (${rule}): ${reason}.`;
    if (isPlan && call.answer === 'rejected') return `${text} Revise the plan and present it again, or ask the user.`;
    const presenting = rule === 'mode' && state.mode === 'plan' ? describePresenting(state) : undefined;
    return presenting === undefined ? text : `${text} Present a plan with ${presenting}: the user can accept it.`;
  }
  if (isPlan) return 'Not presented: no user is available to accept a plan. Give the plan as your answer and end.';
  const text = `Denied: this needs an approval (${reason}), and no approver is available`;
  if (isWorkaround(state.denials, toDenialKey('call', rule, reason), engine.clock.now()))
    return `${toWorkaroundReason(text)}.`;
  const mode = state.mode === 'auto' ? 'with more authority, such as --allow-net HOST,' : 'with a wider --approve mode';
  return `${text}. The user can allow it ${mode} or with --on-ask wait.`;
}

interface Judged {
  decision: ReviewedDecision;
  runs: RunScripts;
  remember?: Remembered;
  escalation?: Escalation;
}

/** Evaluates the rules, and checks whether an earlier approval covers the call. */
async function judgeIntent(work: Work, ready: ReadyCall, scripts: readonly string[]): Promise<Judged> {
  const { engine } = work;
  const { call, tool, intent, input, context } = ready;
  const linked = intent.access.some((access) => access.kind === 'fs' && access.right === 'w')
    ? await findLinked(work)
    : [];
  const facts = {
    name: tool.like ?? call.name,
    effects: tool.effects,
    sends: canSend(tool, work.state.taint?.sources ?? []),
    access: await withOtherNames(work, intent.access),
    altered: call.redacted && !work.originals.has(call.id),
    scripts,
    linked,
    created: await findNewPlaces(context.workspace, intent.access),
    readOnly: await findReadOnly(context.workspace, intent),
    ...(tool.inPlace ? { inPlace: true } : {}),
    ...(call.by === 'user' ? { byUser: true as const } : {}),
    ...(intent.plan === undefined ? {} : { plan: true as const }),
    delegates: intent.delegates,
    creates: intent.creates,
    unclear: intent.unclear,
    confirm: intent.confirm,
    fetches: intent.fetches,
    searches: intent.searches,
    isForLater: intent.isForLater,
  };
  const { session, workspace, sandbox } = openedOf(work.state);
  const state = [engine.home, ...(engine.linkedState?.() ?? [])];
  const onHost = { session, workspace, state, access: intent.access, files: engine.hostFiles };
  const gate = { ...toGateContext(work), ...(sandbox === 'host' ? { host: await readHostFacts(onHost) } : {}) };
  const reviewed = await reviewCall(work, ready, decide(facts, gate, [...RULES, ...engine.rules]));
  const found = await judgeByHooks(work, ready, reviewed);
  // Only an approval is bound to scripts, so that other calls need not search for them.
  if (found.verdict !== 'ask') return { decision: found, runs: NO_SCRIPTS };
  const running = (): string[] => listRunning(work);
  const runs = await findRunScripts(context.workspace, intent.access, { ids: engine.ids, running });
  const decision = { ...found, reason: toReason(found.reason, runs) };
  const agent = agentOf(work);
  const question = toQuestion({ intent, input }, { agent, tool: call.name, workspace: gate.workspace, runs });
  const remember = toRemembered(question, decision);
  const all = [...(await engine.remembered(gate.workspace, agent)), ...(await coversOf(work))];
  const earlier = findRemembered(all, question, decision);
  const rest = { runs, remember, escalation: toEscalation(work, facts.access) };
  if (earlier.kind === 'missed')
    return { decision: { ...decision, reason: `${decision.reason}; ${earlier.why}` }, ...rest };
  if (earlier.kind === 'none' || call.answer === 'rejected') return { decision, ...rest };
  const finding = { rule: 'remembered', verdict: 'allow' as const, reason: 'approved before, for longer than once' };
  return { decision: { ...decision, ...finding, findings: [...decision.findings, finding] }, ...rest };
}

/** Write permission of owner, group or others. */
const WRITABLE = 0o222;

/** Files that a call would change although they are read-only. */
async function findReadOnly(workspace: Workspace, { edits = [] }: Intent): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of edits) {
    const state = await workspace.stat(path);
    if (state?.kind === 'file' && (state.mode & WRITABLE) === 0) found.push(path);
  }
  return found;
}

/** Adds the other names of each file: a policy for one name applies to the file. */
async function withOtherNames(work: Work, access: readonly Access[]): Promise<Access[]> {
  const found = await Promise.all(
    access.map(async (one): Promise<Access[]> => {
      if (one.kind !== 'fs') return [one];
      return [one, ...(await work.secrets().otherNames(one.path)).map((path) => ({ ...one, path }))];
    }),
  );
  return found.flat();
}

/** Adds the programs of the workspace that a command runs, and the processes that can change its scripts. */
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

/** Paths that are protected because others name them, in the last known state of the workspace. */
async function findLinked(work: Work): Promise<readonly string[]> {
  const { state } = work;
  if (openedOf(state).snapshots === false) return findFurtherPlaces(work, []);
  const known = state.openSnapshot ?? state.left;
  if (known) return findNamedPlaces(work, known);
  const snapshots = await work.snapshots();
  const tree = await unlessStopped(work, () => snapshots.snapshot({ signal: work.stop }));
  // After a stop no effect begins.
  if (tree === undefined) return [];
  return findNamedPlaces(work, { tree, gitTree: await snapshots.snapshotGit(tree) });
}
