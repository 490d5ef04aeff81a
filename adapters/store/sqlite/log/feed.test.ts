import type { Command } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { toNotice } from '../../fixtures/sample-events.ts';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { SqliteStore } from '../sqlite-store.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Subscribes and resolves with every seq that came once `last` did. */
function collect(store: SqliteStore, session: string, options: { after: number; last: number }): Promise<number[]> {
  const seen: number[] = [];
  return new Promise((resolve) => {
    store.subscribe(session, options.after, (event) => {
      seen.push(event.seq);
      if (event.seq === options.last) resolve(seen);
    });
  });
}

test('a subscriber gets the log and then what follows, once and in order, while another process writes', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await using writer = startStoreProcess(home.path);
  await writer.ask('claim A');
  await writer.ask('append A 200 10');
  const early = collect(store, 'A', { after: 0, last: 1_200 });
  const writing = writer.ask('append A 1000 5');
  const middle = collect(store, 'A', { after: 150, last: 1_200 });
  await writing;
  const late = collect(store, 'A', { after: 1_199, last: 1_200 });
  expect(await early).toEqual(range(1, 1_200));
  expect(await middle).toEqual(range(151, 1_200));
  expect(await late).toEqual([1_200]);
});

test('a subscriber in the writing process sees what a killed process and then this one wrote', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await using first = startStoreProcess(home.path);
  await first.ask('claim A');
  await first.ask('append A 50');
  await first.kill();
  const seen = collect(store, 'A', { after: 0, last: 150 });
  const lease = (await store.claim('A'))!;
  for (let count = 0; count < 100; count++) await store.append('A', [toNotice(String(count))], { lease });
  expect(await seen).toEqual(range(1, 150));
});

test('events that a listener causes come after the one it looks at', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  const seen: number[] = [];
  const done = new Promise<void>((resolve) => {
    const stop = store.subscribe('A', 0, (event) => {
      seen.push(event.seq);
      if (event.seq < 3) void store.append('A', [toNotice('caused')], { lease });
      // Giving the session back writes at once what waits: the next event is there before this one is done.
      if (event.seq === 2) void lease.release();
      if (event.seq === 3) {
        stop();
        resolve();
      }
    });
  });
  await store.append('A', [toNotice('first')], { lease });
  await done;
  expect(seen).toEqual([1, 2, 3]);
});

test('one subscriber that throws or leaves costs the others nothing', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  const thrown = new Promise<unknown>((resolve) => {
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => {
      for (const other of others) process.on('uncaughtException', other);
      resolve(error);
    });
  });
  const bug = new Error('a bug in a door');
  store.subscribe('A', 0, () => {
    throw bug;
  });
  const left: number[] = [];
  store.subscribe('A', 0, (event) => left.push(event.seq))();
  const seen = collect(store, 'A', { after: 0, last: 1 });
  await store.append('A', [toNotice('1')], { lease });
  expect(await seen).toEqual([1]);
  expect(left).toEqual([]);
  expect(await thrown).toBe(bug);
});

test('a send wakes the listener of its session, from this process and from another', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const command = (id: string): Command => ({ type: 'cancel', id });
  const woken: string[][] = [];
  let wake: (() => void) | undefined;
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  store.onSend('B', () => woken.push(['wrong session']));
  store.onSend('A', () => {
    woken.push(store.view.inbox('A').map(({ id }) => id));
    wake?.();
  });
  await store.send('A', command('1'));
  expect(woken).toEqual([['1']]);
  await store.send('A', command('1'));
  expect(woken).toHaveLength(1);

  await using other = startStoreProcess(home.path);
  const arrived = next();
  expect(await other.ask('send A 2')).toBe('sent');
  await arrived;
  expect(woken.at(-1)).toEqual(['1', '2']);
});

test('live text reaches the listeners of this process and is not stored', () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const seen: string[] = [];
  const stop = store.onLive((live) => seen.push(live.type));
  store.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset: 0, text: 'x' });
  stop();
  store.emitLive({ type: 'message.discarded', session: 'A', message: 'm' });
  expect(seen).toEqual(['tool.progress']);
  expect([...store.view.events('A')]).toEqual([]);
});

test('two processes write thousands of events to two sessions of one database', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await using first = startStoreProcess(home.path);
  await using second = startStoreProcess(home.path);
  await Promise.all([first.ask('claim A'), second.ask('claim B')]);
  const seen = [collect(store, 'A', { after: 0, last: 2_000 }), collect(store, 'B', { after: 0, last: 2_000 })];
  expect(await Promise.all([first.ask('append A 2000 4'), second.ask('append B 2000 4')])).toEqual([
    'appended',
    'appended',
  ]);
  for (const seqs of await Promise.all(seen)) expect(seqs).toEqual(range(1, 2_000));
  expect(await store.verify('A')).toEqual({ intact: true, records: 2_000 });
  expect(await store.verify('B')).toEqual({ intact: true, records: 2_000 });
});

test('processes that make the same database at once all get it', async () => {
  using home = createTemporaryHome();
  const names = ['A', 'B', 'C', 'D'];
  const answers = await Promise.all(
    names.map(async (name) => {
      await using child = startStoreProcess(home.path);
      return [await child.ask(`claim ${name}`), await child.ask(`append ${name} 1`)];
    }),
  );
  expect(answers).toEqual(names.map(() => ['fence 1', 'appended']));
  using store = createSqliteStore({ home: home.path });
  expect(names.flatMap((name) => [...store.view.events(name)])).toHaveLength(4);
});
