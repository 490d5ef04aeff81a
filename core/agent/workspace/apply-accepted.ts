import { allowsAccess, allowsTool } from '../../policy/index.ts';
import { isKlausError, type EventBody, type HunkAnswer, type TreeChange } from '../../protocol/index.ts';
import { describeRejected } from '../../protocol/changes/describe-rejected.ts';
import { toFinished, toHead } from '../calls/call-events.ts';
import { toAbsolute } from '../folders/members.ts';
import { openedOf, type CallState } from '../state/state.ts';
import type { ChangesSubject, Work } from '../loop/work.ts';
import { MAX_ASKED, selectPart, toChangeParts } from './change-parts.ts';
import { applyChanges, withNotes, withUserNote } from './review-changes.ts';

/** Failures that would occur again. */
const PERMANENT: ReadonlySet<string> = new Set(['usage', 'store.corrupt', 'tool.failed']);

export async function applyAccepted(work: Work, call: CallState, subject: ChangesSubject): Promise<EventBody[]> {
  const finished = withUserNote(toFinished(toHead(work, call), subject.result), call);
  const refuse = (why: string, outcome: 'denied' | 'error'): EventBody[] => [
    { ...withNotes(finished, [`None of its changes were applied: ${why}`]), outcome },
  ];
  try {
    const { changes, notes } = await selectChanges(work, subject, call.hunks);
    const lost = findUngranted(work, call.name, changes);
    if (lost !== undefined) return refuse(`the grant does not allow ${lost} any more.`, 'denied');
    return [await applyChanges(await work.snapshots(), { finished, changes, notes })];
  } catch (error) {
    // A full disk or a file in use may pass: the next attempt can succeed. Permanent failures are reported.
    if (!isKlausError(error) || !PERMANENT.has(error.code)) throw error;
    return refuse(error.message, 'error');
  }
}

/** The first change that the grant no longer allows, if it was narrowed since the question. */
function findUngranted(
  { state, engine, authority }: Work,
  tool: string,
  changes: readonly TreeChange[],
): string | undefined {
  const now = engine.clock.now();
  const grant = authority.grant();
  if (!allowsTool(grant, tool, now)) return `the tool ${tool}`;
  const { workspace } = openedOf(state);
  const isUngranted = ({ path }: TreeChange): boolean =>
    !allowsAccess(grant, { kind: 'fs', path: toAbsolute(workspace, path), right: 'w' }, now);
  const found = changes.find(isUngranted);
  return found && `changes of ${found.path}`;
}

async function selectChanges(
  work: Work,
  subject: ChangesSubject,
  answer: HunkAnswer | undefined,
): Promise<{ changes: TreeChange[]; notes: string[] }> {
  const snapshots = await work.snapshots();
  const asked = new Set(subject.hunks.map(({ path }) => path));
  const all = await snapshots.changes(subject.from, subject.to);
  if (!answer) return { changes: all.filter(({ path }) => asked.has(path)), notes: [] };
  // The same rows as in the question give the same parts.
  const parts = (await toChangeParts(snapshots, all, MAX_ASKED)).filter(({ row }) => asked.has(row.path));
  const restore = (text: string, current: string): string => work.redactor.restore(text, current);
  const accepted: TreeChange[] = [];
  for (const part of parts) {
    const { row } = part;
    const selected = selectPart(part, answer, restore);
    if (selected.kept === 'all') accepted.push(row);
    if (selected.kept !== 'part') continue;
    const { content, mode } = selected;
    const side = content === 'before' ? row.before : content === 'after' ? row.after : undefined;
    const after = side ? { ...side, mode } : await snapshots.put(content as Uint8Array, { type: 'file', mode });
    accepted.push({ ...row, after });
  }
  const rejected = describeRejected(
    parts.flatMap((part) => part.hunks),
    answer,
  );
  const remaining = parts.filter(({ row }) => row.before && !accepted.includes(row)).map(({ row }) => row.path);
  const isParentOfRemaining = ({ path, after }: TreeChange): boolean =>
    after === null && remaining.some((below) => below.startsWith(`${path}/`));
  return { changes: accepted.filter((row) => !isParentOfRemaining(row)), notes: rejected === '' ? [] : [rejected] };
}
