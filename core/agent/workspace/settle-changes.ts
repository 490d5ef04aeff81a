import { allowsAccess, allowsTool } from '../../policy/index.ts';
import { describeRejected } from '../../protocol/changes/describe-rejected.ts';
import { isKlausError, type EventOf, type HunkAnswer, type TreeChange } from '../../protocol/index.ts';
import { MAX_ASKED, keepPart, toChangeParts } from './change-parts.ts';
import { toFinished, toHead } from '../calls/judge-call.ts';
import { snapshotWorkspace } from './snapshot-workspace.ts';
import { applyKept, withNotes } from './review-changes.ts';
import { openedOf, type CallState } from '../loop/state.ts';
import type { Work } from '../loop/work.ts';
import { toAbsolute } from '../folders/members.ts';

/** Failures that another attempt would meet again. */
const LOST: ReadonlySet<string> = new Set(['usage', 'store.corrupt', 'tool.failed']);

type Subject = Extract<EventOf<'approval.asked'>['subject'], { kind: 'changes' }>;

/** Ends a call whose changes waited for a human: keeps what was accepted, as one step, and says what was not. */
export async function settleChanges(work: Work, call: CallState, subject: Subject): Promise<void> {
  const head = toHead(work, call);
  const finished = toFinished(head, subject.result);
  if (call.answer !== 'approved') {
    const note = call.note === undefined ? '' : `: ${call.note}`;
    const why = call.answer === 'rejected' ? `the user rejected them${note}` : 'nobody answered in time';
    await work.append([{ ...withNotes(finished, [`None of its changes were kept: ${why}.`]), outcome: 'denied' }]);
    return;
  }
  const snapshots = await work.snapshots();
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  if (work.engine.recorded) return work.append(work.engine.recorded.settled(call));
  try {
    const taken = await takeChanges(work, subject, call.hunks);
    const lost = findUngranted(work, call.name, taken.changes);
    if (lost !== undefined) {
      const why = `None of its changes were kept: the grant does not allow ${lost} any more.`;
      await work.append([{ ...withNotes(finished, [why]), outcome: 'denied' }]);
      return;
    }
    await work.append([await applyKept(snapshots, { finished, changes: taken.changes, notes: taken.notes })]);
  } catch (error) {
    // Where room is missing or somebody is at work on the files, it is tried again; what is gone for good is said.
    if (!isKlausError(error) || !LOST.has(error.code)) throw error;
    await work.append([
      { ...withNotes(finished, [`None of its changes were kept: ${error.message}`]), outcome: 'error' },
    ]);
  }
}

/** What of the changes the grant does not hold, because it was narrowed since the question was asked. */
function findUngranted({ state, engine }: Work, tool: string, changes: readonly TreeChange[]): string | undefined {
  const now = engine.clock.now();
  if (!allowsTool(state.grant, tool, now)) return `the tool ${tool}`;
  const { workspace } = openedOf(state);
  const isUngranted = ({ path }: TreeChange): boolean =>
    !allowsAccess(state.grant, { kind: 'fs', path: toAbsolute(workspace, path), right: 'w' }, now);
  const found = changes.find(isUngranted);
  return found && `changes of ${found.path}`;
}

async function takeChanges(
  work: Work,
  subject: Subject,
  answer: HunkAnswer | undefined,
): Promise<{ changes: TreeChange[]; notes: string[] }> {
  const snapshots = await work.snapshots();
  const asked = new Set(subject.hunks.map(({ path }) => path));
  const all = await snapshots.changes(subject.from, subject.to);
  if (!answer) return { changes: all.filter(({ path }) => asked.has(path)), notes: [] };
  // Made from the same rows as those that were shown, so that they are the same.
  const parts = (await toChangeParts(snapshots, all, MAX_ASKED)).filter(({ row }) => asked.has(row.path));
  const restore = (text: string, current: string): string => work.redactor.restore(text, current);
  const kept: TreeChange[] = [];
  for (const part of parts) {
    const { row } = part;
    const taken = keepPart(part, answer, restore);
    if (taken.kept === 'all') kept.push(row);
    if (taken.kept !== 'part') continue;
    const { content, mode } = taken;
    const side = content === 'before' ? row.before : content === 'after' ? row.after : undefined;
    const after = side ? { ...side, mode } : await snapshots.put(content as Uint8Array, { type: 'file', mode });
    kept.push({ ...row, after });
  }
  const rejected = describeRejected(
    parts.flatMap(({ hunks }) => hunks),
    answer,
  );
  const staying = parts.filter(({ row }) => row.before && !kept.includes(row)).map(({ row }) => row.path);
  const isHolding = ({ path, after }: TreeChange): boolean =>
    after === null && staying.some((below) => below.startsWith(`${path}/`));
  return { changes: kept.filter((row) => !isHolding(row)), notes: rejected === '' ? [] : [rejected] };
}
