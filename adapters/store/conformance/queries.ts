import { SERVICE_MODELS } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { addSession, DAY, toOpened } from '../fixtures/add-session.ts';
import { START, toSampleDrafts } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness } from './store-harness.ts';

/** Queries over all sessions. */
export function describeQueries(create: CreateStoreHarness): void {
  test('sessions are listed newest first, in pages, and found by their words', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'S1', toOpened(START, { title: 'Repair the 100% sum' }));
    await addSession(store, 'S2', toOpened(START + DAY, { workspace: '/srv/shop' }));
    await addSession(store, 'S3', toSampleDrafts());
    await addSession(store, 'S4', toOpened(START + DAY, { title: 'Later' }));
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
    expect(ids(await store.sessions())).toEqual(['S4', 'S2', 'S3', 'S1']);
    expect(ids(await store.sessions({ limit: 2 }))).toEqual(['S4', 'S2']);
    expect(ids(await store.sessions({ limit: 2, before: 'S2' }))).toEqual(['S3', 'S1']);
    expect(ids(await store.sessions({ search: 'SHOP' }))).toEqual(['S2']);
    expect(ids(await store.sessions({ search: 'repariere' }))).toEqual(['S3']);
    // A percent sign is a word here, not a pattern.
    expect(ids(await store.sessions({ search: '100%' }))).toEqual(['S1']);
    expect(ids(await store.sessions({ search: '_' }))).toEqual([]);
  });

  test('a session is found by a unique prefix of its id; a misspelt one has a nearest', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, '01KEAAAA0000000000000000AA', toOpened(START, { title: 'Repair the sum' }));
    await addSession(store, '01KEAABB0000000000000000BB', toOpened(START, { title: 'Write the docs' }));
    expect((await store.session('01keaaaa'))!.title).toBe('Repair the sum');
    expect((await store.session('01KEAABB0000000000000000BB'))!.title).toBe('Write the docs');
    expect(await store.session('02')).toBeUndefined();
    expect(await store.session('')).toBeUndefined();
    await expect(store.session('01KEAA')).rejects.toThrow(/01KEAAAA0000000000000000AA, 01KEAABB0000000000000000BB/);
    expect(await store.nearestSession('01KEAABC')).toBe('01KEAABB0000000000000000BB');
    expect(await store.nearestSession('repair teh sum')).toBe('01KEAAAA0000000000000000AA');
    expect(await store.nearestSession('something else')).toBeUndefined();
    expect(await store.nearestSession('')).toBeUndefined();
  });

  test('the latest session of a workspace is the newest that can take a prompt', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'OLD', toOpened(START));
    await addSession(store, 'NEW', toOpened(START + 1));
    await addSession(store, 'CHILD', toOpened(START + 2, { parent: 'NEW' }));
    await addSession(store, 'CLOSED', [
      ...toOpened(START + 3),
      { type: 'session.closed', reason: 'done', at: START + 3 },
    ]);
    await addSession(store, 'OTHER', toOpened(START + 4, { workspace: '/srv/shop' }));
    const parts = [{ type: 'text' as const, text: 'The user undid turn 1.' }];
    const trees = { from: '0'.repeat(64), to: '1'.repeat(64) };
    await addSession(store, 'UNDONE', [
      ...toOpened(START - 1),
      { type: 'workspace.restored', kind: 'undo', turns: [1], ...trees, files: 1, kept: [], by: 'cli', at: START + 5 },
      {
        type: 'message.added',
        run: 'R',
        turn: 1,
        message: { id: 'N', role: 'user', origin: 'engine', parts },
        at: START + 5,
      },
    ]);
    for (const [index, model] of Object.values(SERVICE_MODELS).entries())
      await addSession(store, `SERVICE${index}`, toOpened(START + 6, { model }));
    expect((await store.latestSession('/home/ada/sum'))!.id).toBe('NEW');
    expect(await store.latestSession('/nowhere')).toBeUndefined();
  });

  test('open questions of all sessions are listed with everything needed to answer', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await addSession(store, 'A', toSampleDrafts());
    await addSession(store, 'B', toSampleDrafts().slice(0, 12));
    expect((await store.approvals({ open: true })).map(({ session, title }) => [session, title])).toEqual([
      ['B', 'Run `npm test`?'],
      ['A', 'Spend up to 4 dollars?'],
    ]);
    expect((await store.approvals({ session: 'A' }))[0]).toEqual({
      id: '01KE00000000000000000000Q1',
      session: 'A',
      sessionTitle: 'Repair the sum',
      workspace: '/home/ada/sum',
      kind: 'call',
      title: 'Run `npm test`?',
      reason: 'The mode asks before every command.',
      toolName: 'run_command',
      diff: '-a - b\n+a + b\n',
      command: 'npm test',
      limitName: null,
      offer: null,
      createdAt: new Date(START + 11).toISOString(),
      expiresAt: START + DAY,
      answer: 'approved',
      answeredBy: 'terminal',
      note: null,
      answeredAt: new Date(START + 12).toISOString(),
    });
    expect(await store.approval('01ke00000000000000000000q2')).toMatchObject({
      limitName: 'usd',
      offer: 4,
      answer: null,
    });
    await expect(store.approval('01KE')).rejects.toThrow(/Several approvals/);
    expect(await store.approval('nothing')).toBeUndefined();
  });

  describeRebuild(create);
}

function describeRebuild(create: CreateStoreHarness): void {
  test('a rebuild does not renew an approval that the user revoked', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const remember = { agent: 'klaus', tool: 'run_command', rules: ['mode'], command: 'npm test' };
    for (const session of ['A', 'B']) {
      const drafts = toSampleDrafts().map((draft) =>
        draft.type === 'approval.asked'
          ? { ...draft, approval: `${draft.approval}-${session}` }
          : draft.type === 'approval.answered'
            ? { ...draft, approval: `${draft.approval}-${session}`, scope: 'project' as const, remember }
            : draft,
      );
      await addSession(store, session, drafts);
    }
    const list = async () => (await store.remembered()).map(({ session }) => session);
    expect((await list()).toSorted()).toEqual(['A', 'B']);
    const revoked = (await store.remembered()).find(({ session }) => session === 'A')!;
    expect(await store.forget(revoked.approval, 'cli')).toBe(true);
    await store.rebuild();
    expect(await list()).toEqual(['B']);

    // The same approval is given again, after it was revoked.
    const at = (await store.lastHostEvent('approval.forgotten', revoked.workspace))!.at + 1;
    const changed = { type: 'approval.changed' as const, approval: revoked.approval, scope: 'project' as const };
    await addSession(store, 'A', [{ ...changed, remember, by: 'cli', at }]);
    expect((await list()).toSorted()).toEqual(['A', 'B']);
    await store.rebuild();
    expect((await list()).toSorted()).toEqual(['A', 'B']);
  });
}
