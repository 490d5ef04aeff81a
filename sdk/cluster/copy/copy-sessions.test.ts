import { createSqliteStore, type SqliteStore } from '@klaus/adapters/store';
import type { Draft } from '@klaus/core/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addSession, toOpened } from '../../../adapters/store/fixtures/add-session.ts';
import { createTemporaryHome } from '../../../adapters/store/fixtures/temporary-home.ts';
import { Database } from '../../../adapters/store/sqlite/database.ts';
import { toDatabaseFile } from '../../../adapters/store/sqlite/open-database.ts';
import type { CopyEnd } from './copy-parts.ts';
import { copySessions, type CopyOptions } from './copy-sessions.ts';

/** A state folder as one end of a copy. */
interface Place extends CopyEnd {
  store: SqliteStore;
  database: Database;
}

const toNotices = (...texts: string[]): Draft[] =>
  texts.map((text) => ({ type: 'notice', code: 'test', text, at: 2 }) as unknown as Draft);

describe('copies between stores', () => {
  let stack: DisposableStack;
  let one: Place;
  let two: Place;

  const openPlace = (place: string): Place => {
    const { path } = stack.use(createTemporaryHome());
    const store = stack.use(createSqliteStore({ home: path }));
    const database = new Database(toDatabaseFile(path));
    stack.defer(() => database.close());
    return { place, store, database, transfer: store.transfer, blobs: store };
  };
  const copy = (from: Place, to: Place, options: Partial<CopyOptions> = {}) =>
    copySessions({ from, to, copyState: async () => true, by: 'cli', ...options });
  const append = async ({ store }: Place, session: string, ...texts: string[]): Promise<void> => {
    const lease = (await store.claim(session))!;
    await store.append(session, toNotices(...texts), { lease });
    await lease.release();
  };
  const outcomes = async (report: ReturnType<typeof copy>) =>
    Object.fromEntries((await report).sessions.map(({ session, outcome, error }) => [session, error?.code ?? outcome]));
  const textsOf = async ({ store }: Place, session: string): Promise<string[]> =>
    (await Array.fromAsync(store.texts(session))).map(({ text }) => text);
  const runsAt = async (session: string): Promise<string[]> => {
    const places: string[] = [];
    for (const { place, store } of [one, two]) {
      if (!(await store.head(session))?.seq) continue;
      const lease = await store.claim(session).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'session.moved' });
        return undefined;
      });
      if (lease) places.push(place);
      await lease?.release();
    }
    return places;
  };

  beforeEach(() => {
    stack = new DisposableStack();
    one = openPlace('one');
    two = openPlace('two');
  });
  afterEach(() => stack.dispose());

  test('a session leaves to one place only, also if two copies were judged before', async () => {
    await addSession(one.store, 'A', toOpened(1));
    expect(await one.transfer.leave(['A'], 'two')).toEqual([]);
    await expect(one.transfer.leave(['A'], 'three')).rejects.toMatchObject({ code: 'session.moved' });
    // An interrupted copy is repeated.
    expect(await one.transfer.leave(['A'], 'two')).toEqual([]);
    await one.transfer.left(['A'], { place: 'two', by: 'cli' });
    await expect(one.transfer.leave(['A'], 'three')).rejects.toMatchObject({ code: 'session.moved' });
    expect(await one.transfer.moveOf('A')).toMatchObject({ state: 'moved', place: 'two' });
  });

  test('a session moves with its exact records, its commands, blobs and notes, and back', async () => {
    await addSession(one.store, 'A', toOpened(1, { workspace: '/w', title: 'First' }));
    const writer = one.store.writeBlob();
    writer.write(Buffer.from('large'));
    const blob = await writer.finish();
    await one.store.send('A', {
      type: 'prompt',
      id: 'c1',
      parts: [{ type: 'file', name: 'f', mediaType: 'text/plain', blob }],
      onAsk: 'deny',
      delivery: 'steer',
    } as never);
    await one.store.knowledge('/w').set({ key: 'k', value: 'v' });
    const before = await textsOf(one, 'A');

    const report = await copy(one, two);
    expect(report).toMatchObject({ notes: 1, sessions: [{ session: 'A', outcome: 'copied', events: 2, blobs: 1 }] });
    expect(await textsOf(two, 'A')).toEqual(before);
    const { seq, hash } = (await one.store.head('A'))!;
    expect(await two.store.head('A')).toMatchObject({ seq, hash });
    expect(await two.store.inbox('A')).toMatchObject([{ id: 'c1' }]);
    expect(await one.store.inbox('A')).toEqual([]);
    expect(Buffer.from((await two.store.readBlob(blob.hash))!).toString()).toBe('large');
    expect(await two.store.knowledge('/w').get('k')).toMatchObject({ value: 'v' });
    expect(await two.store.session('A')).toMatchObject({ title: 'First', workspace: '/w' });
    expect(await runsAt('A')).toEqual(['two']);
    await expect(one.store.send('A', { type: 'cancel', id: 'c2' })).rejects.toMatchObject({ code: 'session.moved' });
    for (const place of [one, two]) expect(await place.store.audit()).toMatchObject({ intact: true });

    await append(two, 'A', 'there');
    expect(await outcomes(copy(one, two))).toEqual({ A: 'skipped' });
    expect(await copy(two, one)).toMatchObject({ sessions: [{ outcome: 'continued', events: 1, blobs: 0 }] });
    expect(await one.store.inbox('A')).toMatchObject([{ id: 'c1' }]);
    expect(await runsAt('A')).toEqual(['one']);
    await append(one, 'A', 'here');
    for (const place of [one, two]) expect(await place.store.audit()).toMatchObject({ intact: true });
  });

  test('a copy that is killed after any step is completed by the next one, and the session runs at one place', async () => {
    const STEPS = ['leave', 'store', 'arrived', 'left'] as const;
    /** Ends as a killed process does: nothing more is changed, at neither end. */
    const killAt = (place: Place, kill: { at: number; isAfter: boolean; calls: number }): Place => {
      const transfer = { ...place.transfer };
      for (const name of [...STEPS, 'stay'] as const) {
        const work = place.transfer[name] as (...given: unknown[]) => Promise<unknown>;
        transfer[name] = async (...given: unknown[]): Promise<never> => {
          const call = kill.calls++;
          if (call > kill.at || (call === kill.at && !kill.isAfter)) throw new Error('killed');
          const result = await work.apply(place.transfer, given);
          if (call === kill.at) throw new Error('killed');
          return result as never;
        };
      }
      return { ...place, transfer };
    };
    // A tree of two sessions: leave, store, store, arrived, left.
    for (let at = 0; at < 5; at++) {
      for (const isAfter of [false, true]) {
        const [root, child] = [`R${at}${isAfter}`, `S${at}${isAfter}`];
        await addSession(one.store, root, toOpened(1));
        await addSession(one.store, child, toOpened(1, { parent: root }));
        await one.store.send(root, { type: 'cancel', id: 'c1' });
        const kill = { at, isAfter, calls: 0 };
        const broken = await copy(killAt(one, kill), killAt(two, kill), { sessions: [root] });
        expect(broken.sessions).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }]);
        for (const id of [root, child]) expect((await runsAt(id)).length).toBeLessThanOrEqual(1);
        const last = await copy(one, two, { sessions: [root] });
        expect(last.sessions.map(({ session }) => session)).toEqual([child, root]);
        for (const { error } of last.sessions) expect(error).toBeUndefined();
        for (const id of [root, child]) {
          expect(await runsAt(id)).toEqual(['two']);
          expect(await textsOf(two, id)).toEqual(await textsOf(one, id));
        }
        expect(await two.store.inbox(root)).toMatchObject([{ id: 'c1' }]);
        expect(await one.store.inbox(root)).toEqual([]);
      }
    }
    for (const place of [one, two]) expect(await place.store.audit()).toMatchObject({ intact: true });
  });

  test('a session that a process holds is reported, and the others move', async () => {
    for (const id of ['A', 'B']) await addSession(one.store, id, toOpened(1));
    const lease = (await one.store.claim('A'))!;
    expect(await outcomes(copy(one, two))).toEqual({ A: 'store.busy', B: 'copied' });
    expect(await two.store.head('A')).toBeUndefined();
    await one.store.append('A', toNotices('still here'), { lease });
    const waiting = copy(one, two, { wait: true });
    await lease.release();
    expect(await outcomes(waiting)).toEqual({ A: 'copied', B: 'skipped' });
    expect(await runsAt('A')).toEqual(['two']);
  });

  test('sessions with different records are refused at both ends, and the others are copied', async () => {
    await addSession(one.store, 'A', toOpened(1));
    await copy(one, two, { keep: true });
    two.database.run('DELETE FROM session_moves');
    await append(one, 'A', 'one');
    await append(two, 'A', 'two');
    await addSession(one.store, 'B', toOpened(1));
    expect(await outcomes(copy(one, two))).toEqual({ A: 'session.differs', B: 'copied' });
    expect(await outcomes(copy(two, one, { sessions: ['A'] }))).toEqual({ A: 'session.differs' });
    expect(await runsAt('A')).toEqual(['one', 'two']);
  });

  test('a session of which one copy has the beginning continues there, and what ran twice is ended', async () => {
    await addSession(one.store, 'A', toOpened(1));
    await copy(one, two, { keep: true });
    two.database.run('DELETE FROM session_moves');
    expect(await runsAt('A')).toEqual(['one', 'two']);
    await append(one, 'A', 'later');
    expect(await outcomes(copy(one, two, { keep: true }))).toEqual({ A: 'usage' });
    expect(await outcomes(copy(one, two))).toEqual({ A: 'continued' });
    expect(await runsAt('A')).toEqual(['two']);
  });

  test('a plain copy cannot run, and is continued by the next one', async () => {
    await addSession(one.store, 'A', toOpened(1));
    expect(await outcomes(copy(one, two, { keep: true, dryRun: true }))).toEqual({ A: 'copied' });
    expect(await two.store.head('A')).toBeUndefined();
    expect(await outcomes(copy(one, two, { keep: true }))).toEqual({ A: 'copied' });
    await append(one, 'A', 'more');
    expect(await copy(one, two, { keep: true })).toMatchObject({ sessions: [{ outcome: 'continued', events: 1 }] });
    expect(await outcomes(copy(one, two, { keep: true }))).toEqual({ A: 'skipped' });
    expect(await runsAt('A')).toEqual(['one']);
    // A copy is not the session: it does not move anywhere.
    await append(one, 'A', 'again');
    expect(await outcomes(copy(two, one))).toEqual({ A: 'skipped' });
    expect(await two.store.audit()).toMatchObject({ intact: true });
    expect(await outcomes(copy(one, two))).toEqual({ A: 'continued' });
    expect(await runsAt('A')).toEqual(['two']);
  });

  test('an altered record and a lost one are not copied', async () => {
    await addSession(one.store, 'A', toOpened(1));
    await append(one, 'A', 'good');
    one.database.run("UPDATE events SET record = replace(record, 'good', 'evil') WHERE session_id = 'A'");
    await addSession(one.store, 'B', toOpened(1));
    await append(one, 'B', 'x');
    one.database.run("DELETE FROM events WHERE session_id = 'B' AND seq = 2");
    expect(await outcomes(copy(one, two))).toEqual({ A: 'store.corrupt', B: 'store.corrupt' });
    for (const id of ['A', 'B']) {
      expect(await Array.fromAsync(two.store.texts(id))).toEqual([]);
      expect(await runsAt(id)).toEqual(expect.arrayContaining(['one']));
    }
    one.database.run("UPDATE host_events SET record = replace(record, 'session.opened', 'session.closed')");
    await expect(copy(one, two)).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  test('an approval for the project that the user revoked is not valid at the target', async () => {
    await addSession(one.store, 'A', toOpened(1, { workspace: '/w' }));
    const lease = (await one.store.claim('A'))!;
    for (const approval of ['kept', 'revoked']) {
      const remember = { agent: 'klaus', tool: 'run_command', rules: [], calls: [] };
      const answer = { type: 'approval.answered', approval, answer: 'approved', by: 'cli', scope: 'project', remember };
      await one.store.append('A', [{ ...answer, at: 3 } as unknown as Draft], { lease });
    }
    await lease.release();
    expect(await one.store.forget('revoked', 'cli')).toBe(true);
    await copy(one, two);
    const approvals = await two.store.remembered();
    expect(approvals.map(({ approval }) => approval)).toEqual(['kept']);
    expect(await two.store.audit()).toMatchObject({ intact: true });
  });

  test('states and blobs that the source does not have are reported', async () => {
    await addSession(one.store, 'A', [
      ...toOpened(1),
      { type: 'workspace.snapshotted', tree: 'a'.repeat(64), reason: 'start', at: 1 } as unknown as Draft,
    ]);
    one.database.run("INSERT INTO blob_refs (session_id, hash) VALUES ('A', ?)", 'b'.repeat(64));
    const asked: unknown[] = [];
    const report = await copy(one, two, {
      async copyState(...given) {
        asked.push(given);
        return false;
      },
    });
    expect(asked).toEqual([['/home/ada/sum', 'a'.repeat(64)]]);
    expect(report.sessions).toMatchObject([{ outcome: 'copied', missingStates: 1, missingBlobs: ['b'.repeat(64)] }]);
  });
});
