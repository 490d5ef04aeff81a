import type { AttentionListView, SessionView } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { toColumns } from './columns.ts';

const NOTHING: AttentionListView = { alerts: [], items: [], counts: { answer: 0, failed: 0, done: 0 } };

const session = (id: string, fields: Partial<SessionView>): SessionView =>
  ({
    id,
    state: 'failed',
    outcome: null,
    problem: null,
    parent: null,
    pinned: false,
    archived: false,
    updatedAt: id,
    ...fields,
  }) as SessionView;

test('a run that reached its limit needs the user, and has not failed', () => {
  const all = [
    session('1', { outcome: 'limit' }),
    session('2', { outcome: 'failed' }),
    session('3', { state: 'done' }),
  ];
  const sessions = new Map(all.map((each) => [each.id, each]));
  const { needing, failed, done } = toColumns({ sessions, attention: NOTHING });
  expect([needing, failed, done].map((column) => column.map(({ id }) => id))).toEqual([['1'], ['2'], ['3']]);
});
