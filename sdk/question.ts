import type { SqliteStore } from '@klaus/adapters/store';
import { isEditable, KlausError, type EventOf, type HunkAnswer } from '@klaus/core/protocol';

/** The question as it was asked. @throws KlausError `usage` when there is none. */
export function findQuestion(store: SqliteStore, idOrPrefix: string): EventOf<'approval.asked'> {
  const row = store.approval(idOrPrefix);
  if (row) {
    for (const event of store.read(row.session)) {
      if (event.type === 'approval.asked' && event.approval === row.id) return event;
    }
  }
  throw new KlausError('usage', `There is no approval ${idOrPrefix}.`, {
    hint: 'klaus approvals lists the open ones.',
  });
}

/** @throws KlausError `usage` naming the hunks, for one that was not asked about. */
export function checkHunks(asked: EventOf<'approval.asked'>, given: HunkAnswer): void {
  const hunks = asked.subject.kind === 'limit' ? [] : (asked.subject.hunks ?? []);
  const known = hunks.map(({ id }) => id);
  for (const id of [...given.accepted, ...(given.edited ?? []).map((hunk) => hunk.id)]) {
    if (known.includes(id)) continue;
    const hint = known.length === 0 ? 'This question has no hunks.' : `Hunks: ${known.slice(0, 20).join(', ')}.`;
    throw new KlausError('usage', `There is no hunk ${id}.`, { hint });
  }
  for (const { id } of given.edited ?? []) {
    if (isEditable(hunks.find((hunk) => hunk.id === id))) continue;
    throw new KlausError('usage', `Hunk ${id} has no lines to edit: it can only be taken or left.`);
  }
}
