import type { AttentionItem, Draft } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { addSession, toOpened } from '../fixtures/add-session.ts';
import { START, toSampleDrafts } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness, TestedStore } from './store-harness.ts';

type Change = { outcome?: EventOf<'run.finished'>['outcome']; parent?: string; workspace?: string };

/** An open session whose run ended. */
function toEnded(at: number, { outcome = 'done', ...change }: Change = {}): Draft[] {
  return [...toOpened(at, change), toStarted(at), toEnd(at + 1, outcome)];
}

function toStarted(at: number): Draft {
  return { ...toSampleDrafts().find(({ type }) => type === 'run.started')!, at } as Draft;
}

function toEnd(at: number, outcome: EventOf<'run.finished'>['outcome']): Draft {
  const end = toSampleDrafts().find(({ type }) => type === 'run.finished')!;
  return { ...end, outcome, reason: `It is ${outcome}.`, at } as Draft;
}

function toAsked(at: number): Draft {
  return { ...toSampleDrafts().find(({ type }) => type === 'approval.asked')!, at } as Draft;
}

const toFacts = ({ session, kind, child, action }: AttentionItem) => [session, kind, child, action];

async function list(store: TestedStore) {
  const { items, counts } = await store.attention();
  return { items: items.map(toFacts), counts };
}

/** What needs the user. */
export function describeAttention(create: CreateStoreHarness): void {
  test('lists questions, failures and ends that no user interface showed, the oldest first', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'A', toEnded(START + 5, { workspace: '/a' }));
    await addSession(store, 'B', toEnded(START + 3, { outcome: 'failed', workspace: '/b' }));
    await addSession(store, 'C', [...toOpened(START), toStarted(START), toAsked(START + 1)]);
    await addSession(store, 'D', toEnded(START, { outcome: 'cancelled' }));
    await addSession(store, 'E', toOpened(START));
    expect(await list(store)).toEqual({
      items: [
        ['C', 'call', null, 'answer'],
        ['B', 'failed', null, 'resume'],
        ['A', 'done', null, 'look'],
      ],
      counts: { answer: 1, failed: 1, done: 1 },
    });
    const { items } = await store.attention();
    expect(items[1]).toMatchObject({ id: 'B:4', seq: 4, workspace: '/b', line: 'It is failed.' });
    expect(items[1]!.since).toBe(new Date(START + 4).toISOString());
    expect(store.view.attention()).toEqual({ items, counts: { answer: 1, failed: 1, done: 1 } });
    // Questions come before failures, and failures before finished runs.
    expect((await store.attention({ limit: 2 })).items.map(toFacts)).toEqual([
      ['C', 'call', null, 'answer'],
      ['B', 'failed', null, 'resume'],
    ]);
    expect((await store.attention({ limit: 1 })).counts).toEqual({ answer: 1, failed: 1, done: 1 });
  });

  test('what was seen is not listed until the next run ends, and other events do not change that', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'A', toEnded(START));
    await store.markSeen({ session: 'A', seq: 3 });
    expect((await list(store)).items).toEqual([['A', 'done', null, 'look']]);
    await store.markSeen({ session: 'A', seq: 4 });
    await store.markSeen({ session: 'A', seq: 1 });
    expect((await list(store)).items).toEqual([]);
    await addSession(store, 'A', [{ type: 'session.changed', title: 'Other', at: START + 9 }]);
    expect((await list(store)).items).toEqual([]);
    await addSession(store, 'A', [toStarted(START + 10), toEnd(START + 11, 'failed')]);
    expect((await list(store)).items).toEqual([['A', 'failed', null, 'resume']]);
    // Unknown sessions leave nothing.
    await store.markSeen({ session: 'none', seq: 4 });
    await store.clearSessions({ ids: ['A'] });
    expect(await list(store)).toEqual({ items: [], counts: { answer: 0, failed: 0, done: 0 } });
  });

  test('child sessions belong to the session that the user opened; a fork shows only its own runs', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'A', [...toOpened(START), toStarted(START)]);
    await addSession(store, 'B', [...toOpened(START, { parent: 'A' }), toStarted(START)]);
    await addSession(store, 'C', [...toOpened(START, { parent: 'B' }), toStarted(START), toAsked(START + 1)]);
    await addSession(store, 'D', toEnded(START, { parent: 'A' }));
    expect((await list(store)).items).toEqual([['A', 'call', 'C', 'answer']]);
    const [opened, ...inherited] = toEnded(START, { parent: 'A' });
    const fork = { ...opened!, forked: { session: 'D', seq: 4, head: 'a'.repeat(64) } } as Draft;
    await addSession(store, 'F', [fork, ...inherited]);
    expect((await list(store)).items).toEqual([['A', 'call', 'C', 'answer']]);
    await addSession(store, 'F', [toStarted(START + 10), toEnd(START + 11, 'done')]);
    expect((await list(store)).items).toEqual([
      ['A', 'call', 'C', 'answer'],
      ['F', 'done', null, 'look'],
    ]);
  });

  test('a run without an end needs the user while no process works on it or below it', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'A', [...toOpened(START), toStarted(START)]);
    await addSession(store, 'B', [...toOpened(START, { parent: 'A' }), toStarted(START)]);
    expect((await list(store)).items).toEqual([['A', 'interrupted', null, 'resume']]);
    for (const held of ['A', 'B']) {
      const lease = (await store.claim(held))!;
      expect((await list(store)).items).toEqual([]);
      await lease.release();
    }
    await store.markSeen({ session: 'A', seq: 3 });
    expect((await list(store)).items).toEqual([]);
  });

  test('one of several processes notifies the user', async () => {
    await using harness = await create();
    await using first = await harness.open();
    await using second = await harness.open();
    const claims = [first, second, first, second].map((store) => store.claimNotification('A:4'));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    expect(await second.claimNotification('A:5')).toBe(true);
    expect(await first.claimNotification('A:4')).toBe(false);
  });

  test('a mark of one process reaches the watchers of another', async () => {
    await using harness = await create();
    await using first = await harness.open();
    await using second = await harness.open();
    await addSession(first, 'A', toEnded(START));
    const seen = new Promise<void>((resolve) => {
      second.view.watch(() => second.view.attention().items.length === 0 && resolve());
    });
    await first.markSeen({ session: 'A', seq: 4 });
    await seen;
    expect(await second.attention()).toMatchObject({ items: [] });
  });
}
