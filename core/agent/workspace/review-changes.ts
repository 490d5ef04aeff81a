import { isPackageFile, review } from '../../policy/index.ts';
import {
  type EventBody,
  type FileChange,
  type ToolResult,
  type TreeChange,
  type TreeId,
  headOf,
} from '../../protocol/index.ts';
import { MAX_ASKED, toChangeParts, toDiffText, type ChangePart } from './change-parts.ts';
import { toGateContext } from '../calls/gate-context.ts';
import { COVERED, findCoveredChanges } from './ignored-changes.ts';
import { toAttempt, toHead, toQuestionEvent } from '../calls/call-events.ts';
import type { ReadyCall, ToolFinished } from '../calls/judged-call.ts';
import { scriptsOf } from '../calls/package-scripts.ts';
import type { Layer } from '../ports/layer.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { ToolContext } from '../ports/tool.ts';
import { runOf, type CallState } from '../state/state.ts';
import { storeFormer } from './store-former.ts';
import type { OpenedLayer, ReviewInput, Work } from '../loop/work.ts';

/** Maximum characters of a question's diff. */
const MAX_DIFF = 400_000;

/** Opens a layer for one call: its commands see the layer at the workspace's path and do not change the workspace. */
export async function openLayer(work: Work, ready: ReadyCall): Promise<OpenedLayer & { context: ToolContext }> {
  const layers = await work.layers();
  // The snapshot comes first, so that later changes of others are detected as conflicts.
  const base = await (await work.snapshots()).snapshot({ signal: work.stop });
  const layer = await layers.open({ signal: work.stop });
  return { layer, base, context: toLayerContext(ready.context, layer) };
}

/** A context whose commands see the folders of a layer at the paths of the session's folders. */
export function toLayerContext(context: ToolContext, { folder, beside = [] }: Layer): ToolContext {
  const { sandbox } = context;
  const mapped = { workspaceAt: folder, ...(beside.length > 0 ? { besideAt: beside } : {}) };
  return { ...context, sandbox: { ...sandbox, exec: (request) => sandbox.exec({ ...request, ...mapped }) } };
}

export async function reviewChanges(work: Work, input: ReviewInput): Promise<EventBody[] | undefined> {
  const { ready, opened } = input;
  const { layer, base: from } = opened;
  const { paths, git } = await layer.touched();
  const notes = git ? ["Its changes in git's own data were not applied; use the git tools."] : [];
  const snapshots = await work.snapshots();
  const to = await snapshots.snapshot({
    only: { base: from, paths },
    folder: layer.folder,
    beside: layer.beside,
  });
  const changes = await snapshots.changes(from, to);
  const result =
    git && input.finished.outcome === 'ok' ? { ...input.finished, outcome: 'error' as const } : input.finished;
  const finished = withTrees(result, { tree: from, left: to });
  // Without changes only the evidence is updated.
  if (changes.length === 0 && notes.length === 0 && finished !== input.finished) return [finished];
  if (changes.length === 0) return notes.length > 0 ? [withNotes(finished, notes)] : undefined;
  const covered = await findCoveredChanges(work, ready, changes);
  const open = changes.filter(({ path }) => !covered.has(path));
  const head = toHead(work, ready.call);
  const callHash = work.engine.ids.digest(JSON.stringify([ready.call.name, changes]));
  const at = { ...head, attempt: toAttempt(ready.call), callHash, phase: 'changes' as const };
  if (covered.size > 0) {
    const rows = changes.filter(({ path }) => covered.has(path));
    const kept = await applyChanges(snapshots, { finished, changes: rows, notes: open.length > 0 ? [] : notes });
    if (open.length === 0) return [{ type: 'gate.decided', ...at, ...COVERED }, kept];
    // A conflict in an ignored file does not affect the other changes.
  }
  // The layer has not changed the workspace.
  await storeFormer(
    snapshots,
    from,
    open.map(({ path }) => path),
  );
  const parts = await toChangeParts(snapshots, open, MAX_ASKED);
  const scripts = parts.filter(isScriptChange).map(({ row }) => row.path);
  const decision = review({ name: ready.call.name, changes: open, scripts }, toGateContext(work), work.engine.rules);
  const { refused, ...verdict } = decision;
  const decided: EventBody = { type: 'gate.decided', ...at, ...verdict };
  if (refused.length > 0) notes.push(`Not applied, because no command may change it: ${refused.join(', ')}.`);
  const kept = open.filter(({ path }) => !refused.includes(path));
  if (verdict.verdict === 'deny')
    return [decided, withNotes(finished, [...notes, 'None of its changes were applied.'])];
  if (verdict.verdict === 'allow') return [decided, await applyChanges(snapshots, { finished, changes: kept, notes })];
  if (runOf(work.state).onAsk !== 'wait') {
    const why = `Its changes were not applied: they need an approval (${verdict.reason}), and no approver is available.`;
    return [decided, { ...withNotes(finished, [...notes, why]), outcome: 'denied' }];
  }
  const shown = parts.filter(({ row }) => !refused.includes(row.path));
  const { command } = ready.intent;
  return [
    decided,
    toQuestionEvent(work, {
      subject: {
        kind: 'changes',
        call: head.call,
        index: head.index,
        name: head.name,
        command,
        from,
        to,
        files: kept.length,
        diff: shorten(toDiffText(shown)),
        hunks: shown.flatMap((part) => part.hunks),
        result: toResult(withNotes(finished, notes)),
      },
      title: `apply the changes of ${ready.intent.title} (${kept.length} ${kept.length === 1 ? 'file' : 'files'})`,
      reason: verdict.reason,
    }),
  ];
}

/** Adds the state of the layer at its start to the evidence of a check. */
function withTrees(finished: ToolFinished, { tree, left }: { tree: TreeId; left: TreeId }): ToolFinished {
  if (!finished.evidence) return finished;
  return { ...finished, evidence: { ...finished.evidence, tree, ...(left === tree ? {} : { left }) } };
}

function isScriptChange({ row, before, after }: ChangePart): boolean {
  if (!isPackageFile(row.path)) return false;
  // A file that is too large to be read may contain other scripts.
  if ((row.before && !before) || (row.after && !after)) return true;
  return scriptsOf(before ?? undefined) !== scriptsOf(after ?? undefined);
}

export async function applyChanges(
  snapshots: Snapshots,
  input: { finished: ToolFinished; changes: readonly TreeChange[]; notes: readonly string[] },
): Promise<ToolFinished> {
  const { finished, changes, notes } = input;
  const result = await snapshots.apply(changes);
  if (result.applied) return { ...withNotes(finished, notes), changes: changes.flatMap(toFileChange) };
  const paths = result.conflicts.map(({ path }) => path).slice(0, 20);
  const why = `Its changes were not applied: ${paths.join(', ')} changed in the workspace at the same time. Check the changes, then try again.`;
  return { ...withNotes(finished, [...notes, why]), outcome: 'error' };
}

function toFileChange({ path, kind, before, after }: TreeChange): FileChange[] {
  if (before?.type === 'directory' || after?.type === 'directory') return [];
  const mode = after?.type === 'file' ? { mode: after.mode } : {};
  return [{ path, kind, before: before?.hash ?? null, after: after?.hash ?? null, ...mode }];
}

/** Adds what the user wrote with the approval of a call. */
export function withUserNote(finished: ToolFinished, { answer, note }: CallState): ToolFinished {
  if (answer !== 'approved' || note === undefined) return finished;
  const line = `Note of the user: ${note}`;
  // A replay gets the recorded output, which has it already.
  return `\n${finished.output}`.endsWith(`\n${line}`) ? finished : withNotes(finished, [line]);
}

export function withNotes(finished: ToolFinished, notes: readonly string[]): ToolFinished {
  if (notes.length === 0) return finished;
  return { ...finished, output: [finished.output.trimEnd(), '', ...notes].join('\n').trimStart() };
}

function toResult(finished: ToolFinished): ToolResult {
  const { outcome, output, blob, detail, changes, evidence, todos, durationMs } = finished;
  return {
    outcome,
    output,
    changes,
    durationMs,
    blob,
    detail,
    evidence,
    todos,
  };
}

function shorten(text: string): string {
  return text.length <= MAX_DIFF ? text : `${headOf(text, MAX_DIFF)}\n[… ${text.length - MAX_DIFF} more characters]\n`;
}
