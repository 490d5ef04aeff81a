import {
  isKlausError,
  isReadOnly,
  KlausError,
  toKlausError,
  unlessFailed,
  type BlobRef,
  type EventBody,
  type TreeId,
  type Untrusted,
} from '../../protocol/index.ts';
import { isReviewed } from './gate-context.ts';
import { channelOf, findReceivable, withSource } from '../channel/call-channel.ts';
import { toAttempt, toErrorDetail, toFinished, toHead, type CallHead } from './call-events.ts';
import { judgeCall } from './judge-call.ts';
import type { ReadyCall, ToolFinished } from './judged-call.ts';
import { countCommand } from './prestart.ts';
import { cutOutput } from './cut-output.ts';
import { toResultLimit } from '../budget/result-limit.ts';
import { isApproval } from './human-approval.ts';
import { snapshotAfter, snapshotWorkspace } from '../workspace/snapshot-workspace.ts';
import { storeFormer } from '../workspace/store-former.ts';
import { listNames } from '../workspace/unreverted-places.ts';
import { openLayer, withNotes, withUserNote } from '../workspace/review-changes.ts';
import type { ToolOutput } from '../ports/tool.ts';
import { toProcessChanged } from '../processes/process-events.ts';
import { openedOf, type CallState } from '../state/state.ts';
import { snapshotBeforeChecks } from '../evidence/check-receipt.ts';
import { ABANDONED, ABANDONED_OUTPUT, withCancelGrace } from '../loop/cancel-grace.ts';
import type { Work } from '../loop/work.ts';

/**
 * Judges calls, then runs the allowed ones in parallel. All intents are durable before the first effect begins.
 *
 * @param onStarted Called when they are.
 */
export async function performCalls(work: Work, calls: readonly CallState[], onStarted?: () => void): Promise<void> {
  const bodies: EventBody[] = [];
  const ready: ReadyCall[] = [];
  await work.learnSecrets();
  await work.authority.learn();
  for (const call of calls) {
    const judged = await judgeCall(work, call);
    // Stopped before any effect: nothing is recorded.
    if (work.stop.aborted) return;
    bodies.push(judged.decided);
    if (judged.kind === 'ready') {
      bodies.push(await toStarted(work, judged.ready), ...work.activities.recordChild(work, judged.ready));
      ready.push(judged.ready);
    } else if (judged.kind === 'asked') bodies.push(judged.asked);
    else bodies.push(...(await work.activities.closeChildOf(work, call.id)), judged.finished);
  }
  if (bodies.some(isQuestion) || isOtherAuthority(work, ready, bodies)) await snapshotAfter(work);
  // The snapshot precedes the intents, so that their effects can be undone.
  const isReading = ready.every(({ tool }) => isReadOnly(tool.effects));
  const before = isReading ? [] : await snapshotWorkspace(work);
  if (!before) return;
  const tree = await snapshotBeforeChecks(work, ready, before);
  await storeEdited(work, ready, before);
  await work.append([...before, ...bodies]);
  onStarted?.();
  // Waits for all calls before an error is thrown: none runs after the session was released.
  const ended = await Promise.allSettled(ready.map((item) => runCall(work, item, tree)));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}

/** The calls name the files that they edit. In a folder of a tool, the snapshot may lack their content. */
async function storeEdited(work: Work, ready: readonly ReadyCall[], bodies: readonly EventBody[]): Promise<void> {
  const paths = ready.flatMap(({ intent }) => (intent.changes ?? []).map(({ path }) => path));
  const opened = bodies.find(isSnapshot)?.tree ?? work.state.openSnapshot?.tree;
  if (paths.length > 0 && opened !== undefined) await storeFormer(await work.snapshots(), opened, paths);
}

/** True if the calls before were guarded with another authority, so that a snapshot must separate the changes. */
function isOtherAuthority({ state }: Work, ready: readonly ReadyCall[], bodies: readonly EventBody[]): boolean {
  if (!state.turnEffects) return false;
  if (!state.turnEffects.isApproved) return bodies.some(isApproval);
  return !bodies.some(isApproval) && ready.some(({ tool }) => !isReadOnly(tool.effects));
}

function isSnapshot(body: EventBody): body is Extract<EventBody, { type: 'workspace.snapshotted' }> {
  return body.type === 'workspace.snapshotted';
}

function isQuestion({ type }: EventBody): boolean {
  return type === 'approval.asked';
}

/** The intent of a call. It must be durable before the effect. */
async function toStarted(work: Work, ready: ReadyCall): Promise<EventBody> {
  const { call, tool, intent } = ready;
  const mark = tool.resume === 'tell' ? await ready.context.workspace.mark() : undefined;
  return {
    type: 'tool.started',
    ...toHead(work, call),
    attempt: toAttempt(call),
    resume: tool.resume,
    changes: [...(intent.changes ?? [])],
    diff: intent.diff,
    result: intent.result,
    background: intent.background,
    layer: isReviewed(work, tool, call.by) || undefined,
    mark,
    fetches: intent.fetches,
    receives: intent.receives ?? toReceived(work, ready),
  };
}

function toReceived({ state, engine, redactor }: Work, { tool, intent }: ReadyCall): string | undefined {
  const { sandbox: driver, workspace } = openedOf(state);
  const found = findReceivable(tool, intent, { driver, workspace, registries: () => engine.registries() });
  return found === undefined ? undefined : redactor.redact(found);
}

/** Runs a durable call and appends its result. @param tree The workspace before it, if it may be a check. */
async function runCall(work: Work, ready: ReadyCall, tree: TreeId | undefined): Promise<void> {
  const { call, tool, context } = ready;
  const head = toHead(work, call);
  const { clock } = work.engine;
  const began = clock.now();
  let layer: Awaited<ReturnType<typeof openLayer>> | undefined;
  let finished: ToolFinished;
  let reviewed: EventBody[] | undefined;
  let notices: EventBody[] = [];
  let changed: EventBody[] = [];
  try {
    if (isReviewed(work, tool, call.by)) layer = await openLayer(work, ready);
    if (work.stop.aborted) throw new KlausError('cancelled', 'Not run: stopped before it began.');
    const running = tool.run(ready.input, layer?.context ?? context, ready.intent);
    const output = await withCancelGrace(running, { stop: work.stop, clock });
    if (tool.prestart && !work.stop.aborted) countCommand(work);
    if (output === ABANDONED) {
      const durationMs = clock.now() - began;
      const abandoned = toFinished(head, { outcome: 'unknown', output: ABANDONED_OUTPUT, durationMs });
      return work.isLeaving() ? undefined : await work.append([abandoned]);
    }
    if (output.awaits) {
      const { children, any } = output.awaits;
      return await work.append([{ type: 'tool.waiting', ...head, children: [...children], any }]);
    }
    // The call may have read secret files that it created.
    if (!isReadOnly(tool.effects)) await work.learnSecrets();
    const result = withUserNote(toMarked(work, ready, await toResult(work, { head, ready, output })), call);
    finished = { ...result, durationMs: clock.now() - began };
    // On a layer, `reviewChanges` adds the states.
    if (output.evidence && !layer) finished.evidence = await work.activities.toReceipt(work, output.evidence, tree);
    if (output.process) changed = [toProcessChanged(output.process, head)];
    if (output.closed) changed = [...output.closed];
    const after = await work.activities.afterCall(work, ready, finished);
    ({ finished, notices } = after);
    finished = await withRejected(work, ready, finished);
    if (layer) reviewed = await work.activities.reviewChanges(work, { ready, finished, opened: layer });
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    const lost = layer ? 'None of its changes were applied.' : undefined;
    const text = [known.message, known.hint, lost].filter((part) => part !== undefined).join(' ');
    const failed = toFinished(head, {
      outcome: known.code === 'cancelled' ? 'cancelled' : 'error',
      output: cut(work, ready, work.redactor.redact(text)),
      // A cancelled call is known by its outcome.
      detail: work.stop.aborted ? undefined : toErrorDetail(known),
      durationMs: clock.now() - began,
    });
    finished = withUserNote(toMarked(work, ready, failed), call);
  } finally {
    await layer?.layer.close();
  }
  if (work.isLeaving()) return;
  if (reviewed?.some(isQuestion)) await snapshotAfter(work);
  if (reviewed) return await work.append(reviewed);
  if (work.stop.aborted && finished.outcome !== 'ok') finished = { ...finished, outcome: 'cancelled' };
  const context_ = await work.activities.loadInstructions(work, ready.intent.access);
  await work.append([...changed, finished, ...context_, ...notices]);
}

/** A call whose changes Klaus will not keep has failed, also if its command reports success. */
async function withRejected(work: Work, ready: ReadyCall, finished: ToolFinished): Promise<ToolFinished> {
  // A failure occurs again when the turn ends.
  const rejected = (await unlessFailed(() => work.activities.findRejected(work, ready, finished))) ?? [];
  if (rejected.length === 0) return finished;
  const note =
    `Not kept: Klaus reverts the changes of ${listNames(rejected)}, which no command may make. ` +
    'What the command reports about them does not apply. Ask the user to make such changes.';
  return { ...withNotes(finished, [note]), outcome: 'error' };
}

function cut(work: Work, ready: ReadyCall, text: string): string {
  const max = toResultLimit(work);
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
    blob = await storeOutput(work, clean);
    if (!blob) text += '\n[the complete output was not stored: the disk is full]';
  }
  if (blob) blob = { ...blob, lines: output.lines ?? countLines(clean) };
  return toFinished(head, {
    outcome: output.isError ? 'error' : 'ok',
    output: text,
    ...(isJson(output.detail) ? { detail: output.detail } : {}),
    blob,
    evidence: output.evidence,
    ...(output.shown ? { shown: output.shown.map((file) => (text === clean ? file : { ...file, part: true })) } : {}),
    ...(output.untrusted ? { untrusted: toUntrusted(work, output.untrusted) } : {}),
    ...(output.images ? { images: [...output.images] } : {}),
    changes: [...(output.changes ?? [])],
    ...(output.todos ? { todos: [...output.todos] } : {}),
  });
}

function toMarked({ redactor }: Work, { tool, context }: ReadyCall, finished: ToolFinished): ToolFinished {
  return withSource(finished, { tool, channel: channelOf(context), redact: (text) => redactor.redact(text) });
}

function toUntrusted({ redactor }: Work, { source, addresses, isWeb }: Untrusted): ToolFinished['untrusted'] {
  return { source: redactor.redact(source), addresses: addresses && [...addresses], isWeb };
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** Stores the complete output of a call whose result was cut; undefined if the disk is full. */
async function storeOutput({ engine }: Work, text: string): Promise<BlobRef | undefined> {
  try {
    const writer = engine.store.writeBlob();
    writer.write(new TextEncoder().encode(text));
    return await writer.finish();
  } catch (error) {
    if (isKlausError(error) && error.code === 'store.full') return undefined;
    throw error;
  }
}

/** False for a value that JSON cannot represent, such as a cycle or a BigInt. Such a detail is left out. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
