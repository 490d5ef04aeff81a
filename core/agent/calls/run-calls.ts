import {
  optional,
  isKlausError,
  isReadOnly,
  KlausError,
  toKlausError,
  type BlobRef,
  type EventBody,
  type TreeId,
} from '../../protocol/index.ts';
import { isReviewed } from './gate-context.ts';
import { toAttempt, toFinished, toHead, type CallHead } from './call-events.ts';
import { judgeCall } from './judge-call.ts';
import type { ReadyCall, ToolFinished } from './judged-call.ts';
import { countCommand } from './prestart.ts';
import { cutOutput } from './cut-output.ts';
import { isApproval } from './human-approval.ts';
import { snapshotAfter, snapshotBefore } from '../workspace/snapshot-workspace.ts';
import { openLayer } from '../workspace/review-changes.ts';
import type { ToolOutput } from '../ports/tool.ts';
import { toProcessChanged } from '../processes/process-events.ts';
import type { CallState } from '../state/state.ts';
import { snapshotBeforeChecks } from '../evidence/check-receipt.ts';
import { ABANDONED, withCancelGrace } from '../loop/cancel-grace.ts';
import type { Work } from '../loop/work.ts';

/**
 * Judges a batch of calls, then runs those that may run, side by side. The intents of all are durable
 * before the first effect begins; each result is appended as it comes.
 */
export async function performCalls(work: Work, calls: readonly CallState[]): Promise<void> {
  const bodies: EventBody[] = [];
  const ready: ReadyCall[] = [];
  await work.learnSecrets();
  for (const call of calls) {
    const judged = await judgeCall(work, call);
    // Stopped while looking: nothing has begun, so nothing is said to have been.
    if (work.stop.aborted) return;
    bodies.push(judged.decided);
    if (judged.kind === 'ready') {
      bodies.push(await toStarted(work, judged.ready));
      ready.push(judged.ready);
    } else bodies.push(judged.kind === 'asked' ? judged.asked : judged.finished);
  }
  if (bodies.some(isQuestion) || isOtherAuthority(work, ready, bodies)) await snapshotAfter(work);
  // Stands before the intents: what comes after it can be taken back.
  const before = await snapshotBefore(
    work,
    ready.map(({ tool }) => tool),
  );
  if (!before) return;
  const tree = await snapshotBeforeChecks(work, ready, before);
  await work.append([...before, ...bodies]);
  // All of them end before anything is thrown: nothing goes on behind the back of who holds the session.
  const ended = await Promise.allSettled(ready.map((item) => runCall(work, item, tree)));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}

/**
 * True when the state of the open turn has to be kept before these calls: what a human approved and what nobody did are
 * looked at apart, so that no approval covers what another call of the turn changed.
 */
function isOtherAuthority({ state }: Work, ready: readonly ReadyCall[], bodies: readonly EventBody[]): boolean {
  if (!state.turnEffects) return false;
  if (!state.turnEffects.isApproved) return bodies.some(isApproval);
  return !bodies.some(isApproval) && ready.some(({ tool }) => !isReadOnly(tool.effects));
}

function isQuestion({ type }: EventBody): boolean {
  return type === 'approval.asked';
}

/** The intent of a call, to be durable before its effect. */
async function toStarted(work: Work, ready: ReadyCall): Promise<EventBody> {
  const { call, tool, intent } = ready;
  const mark = tool.resume === 'tell' ? await ready.context.workspace.mark() : undefined;
  return {
    type: 'tool.started',
    ...toHead(work, call),
    attempt: toAttempt(call),
    resume: tool.resume,
    changes: [...(intent.changes ?? [])],
    ...optional({ diff: intent.diff, result: intent.result }),
    ...(intent.background ? { background: true as const } : {}),
    ...optional({ mark }),
  };
}

async function appendGivenUp(work: Work, head: CallHead, durationMs: number): Promise<void> {
  if (work.isLeaving()) return;
  const output = 'Outcome unknown: the tool was told to stop and did not answer. It may still be at work.';
  await work.append([toFinished(head, { outcome: 'unknown', output, durationMs })]);
}

/**
 * Runs a call whose intent is durable and appends its result.
 *
 * @param tree The workspace before it, where it may be a check.
 */
async function runCall(work: Work, ready: ReadyCall, tree: TreeId | undefined): Promise<void> {
  const { call, tool, context } = ready;
  const head = toHead(work, call);
  const { clock } = work.engine;
  const began = clock.now();
  let layer: Awaited<ReturnType<typeof openLayer>> | undefined;
  let finished: ToolFinished;
  let unkept: EventBody[] | undefined;
  let changed: EventBody[] = [];
  try {
    if (isReviewed(work, tool)) layer = await openLayer(work, ready);
    if (work.stop.aborted) throw new KlausError('cancelled', 'Not run: stopped before it began.');
    const running = tool.run(ready.input, layer?.context ?? context, ready.intent);
    const output = await withCancelGrace(running, { stop: work.stop, clock });
    if (tool.prestart && !work.stop.aborted) countCommand(work);
    if (output === ABANDONED) return await appendGivenUp(work, head, clock.now() - began);
    // What it may have read came to stand in the workspace while it ran.
    if (!isReadOnly(tool.effects)) await work.learnSecrets();
    finished = { ...(await toResult(work, { head, ready, output })), durationMs: clock.now() - began };
    // On a layer it saw what stands there; `reviewChanges` says what that is.
    if (output.evidence && !layer) finished.evidence = await work.activities.toReceipt(work, output.evidence, tree);
    if (output.process) changed = [toProcessChanged(output.process, head)];
    if (layer) unkept = await work.activities.reviewChanges(work, { ready, finished, opened: layer });
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    const lost = layer ? 'None of its changes were kept.' : undefined;
    const text = [known.message, known.hint, lost].filter((part) => part !== undefined).join(' ');
    finished = toFinished(head, {
      outcome: known.code === 'cancelled' ? 'cancelled' : 'error',
      output: cut(work, ready, work.redactor.redact(text)),
      durationMs: clock.now() - began,
    });
  } finally {
    await layer?.layer.close();
  }
  if (work.isLeaving()) return;
  if (unkept?.some(isQuestion)) await snapshotAfter(work);
  if (unkept) return await work.append(unkept);
  if (work.stop.aborted && finished.outcome !== 'ok') finished = { ...finished, outcome: 'cancelled' };
  const context_ = await work.activities.loadInstructions(work, ready.intent.access);
  await work.append([...changed, finished, ...context_]);
}

function cut(work: Work, ready: ReadyCall, text: string): string {
  const max = work.engine.settings.maxToolOutputContext;
  if (text.length <= max) return text;
  return ready.tool.cut?.(text, max) ?? cutOutput(text, max);
}

async function toResult(
  work: Work,
  { head, ready, output }: { head: CallHead; ready: ReadyCall; output: ToolOutput },
): Promise<ToolFinished> {
  const clean = work.redactor.redact(output.text);
  let text = cut(work, ready, clean);
  let { blob } = output;
  if (!blob && text !== clean) {
    blob = await keepWhole(work, clean);
    if (!blob) text += '\n[the whole output could not be kept: there is no room on the disk]';
  }
  return toFinished(head, {
    outcome: output.isError ? 'error' : 'ok',
    output: text,
    ...(blob ? { blob } : {}),
    ...(isJson(output.detail) ? { detail: output.detail } : {}),
    ...(output.evidence ? { evidence: output.evidence } : {}),
    changes: [...(output.changes ?? [])],
  });
}

/** The whole of an output that was cut; undefined where there is no room: the call is done all the same. */
async function keepWhole({ engine }: Work, text: string): Promise<BlobRef | undefined> {
  try {
    const writer = engine.store.writeBlob();
    writer.write(new TextEncoder().encode(text));
    return await writer.finish();
  } catch (error) {
    if (isKlausError(error) && error.code === 'store.full') return undefined;
    throw error;
  }
}

/** False for what no log can hold, such as a cycle or a BigInt: a call that is done is not undone by its decoration. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
