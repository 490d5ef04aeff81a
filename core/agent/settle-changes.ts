import type { EventOf, HunkAnswer, TreeChange } from '../protocol/index.ts';
import { describeRejected, keepPart, toChangeParts } from './change-parts.ts';
import { toFinished, toHead } from './judge-call.ts';
import type { Snapshots } from './ports/snapshots.ts';
import { applyKept, withNotes } from './review-changes.ts';
import type { CallState } from './state.ts';
import type { Work } from './work.ts';

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
  const asked = new Set(subject.hunks.map(({ path }) => path));
  const changes = (await snapshots.changes(subject.from, subject.to)).filter(({ path }) => asked.has(path));
  const taken = await takeChanges(snapshots, changes, call.hunks);
  await work.append([await applyKept(snapshots, { finished, changes: taken.changes, notes: taken.notes })]);
}

async function takeChanges(
  snapshots: Snapshots,
  changes: readonly TreeChange[],
  answer: HunkAnswer | undefined,
): Promise<{ changes: TreeChange[]; notes: string[] }> {
  if (!answer) return { changes: [...changes], notes: [] };
  const parts = await toChangeParts(snapshots, changes);
  const kept: TreeChange[] = [];
  for (const part of parts) {
    const { row } = part;
    const taken = keepPart(part, answer);
    if (taken.kept === 'all') kept.push(row);
    if (taken.kept !== 'part') continue;
    const { content, mode } = taken;
    const side = content === 'before' ? row.before : content === 'after' ? row.after : undefined;
    const after = side ? { ...side, mode } : await snapshots.put(content as Uint8Array, { type: 'file', mode });
    kept.push({ ...row, after });
  }
  const rejected = describeRejected(parts, answer);
  return { changes: kept, notes: rejected === '' ? [] : [rejected] };
}
