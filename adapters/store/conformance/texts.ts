import { readLog, type Store, type StoreQueries } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { toNotice, toSampleDrafts } from '../fixtures/sample-events.ts';
import { range } from './collect-seqs.ts';
import type { CreateStoreHarness } from './store-harness.ts';

async function readTexts(store: Pick<StoreQueries, 'texts'>, session: string, after?: number): Promise<string[]> {
  return (await Array.fromAsync(store.texts(session, after))).map(({ text }) => text);
}

const readJson = async (store: Store, session: string, after?: number): Promise<string[]> =>
  (await readLog(store, session, after)).map((event) => JSON.stringify(event));

/** Logs as JSON texts. */
export function describeTexts(create: CreateStoreHarness): void {
  test('the texts of a log are its events, each on one line, after a position', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    await store.append('A', [...toSampleDrafts(), toNotice('Ünïcode 🧮 \u2028 \0 "quoted"\nsecond line')], { lease });
    const texts = await readTexts(store, 'A');
    expect(texts).toEqual(await readJson(store, 'A'));
    expect(texts.length).toBeGreaterThan(20);
    for (const text of texts) expect(text).not.toContain('\n');
    expect(await readTexts(store, 'A', 20)).toEqual(await readJson(store, 'A', 20));
    expect(await readTexts(store, 'A', texts.length)).toEqual([]);
    expect(await readTexts(store, 'unknown')).toEqual([]);
  });

  test('text that is no valid Unicode is repaired in the record and in the event', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    const events = await store.append('A', [toNotice('half \ud83d x'), toNotice('\ude00'), toNotice('😀 \\ud83d')], {
      lease,
    });
    const repaired = ['half \ufffd x', '\ufffd', '😀 \\ud83d'];
    for (const found of [events, await readLog(store, 'A')]) {
      expect(found.map((event) => (event.type === 'notice' ? event.text : ''))).toEqual(repaired);
    }
    expect(await readTexts(store, 'A')).toEqual(await readJson(store, 'A'));
  });

  test('a record that is not on one line, or of an earlier version, is converted', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    await store.append('A', [toNotice('1'), toNotice('2')], { lease });
    const [first, second] = await readLog(store, 'A');
    await harness.damage('A', 1, JSON.stringify(first, undefined, 1));
    await harness.damage('A', 2, JSON.stringify({ ...second, v: 2 }));
    expect(await readTexts(store, 'A')).toEqual([first, second].map((event) => JSON.stringify(event)));
  });

  test('texts include events that are appended during the iteration, over several pages', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    const drafts = range(1, 300).map((number) => toNotice(String(number)));
    await store.append('A', drafts, { lease });
    const seen: number[] = [];
    for await (const { seq, text } of store.texts('A')) {
      if (seq === 1) await store.append('A', [toNotice('late')], { lease });
      expect((JSON.parse(text) as Event).seq).toBe(seq);
      seen.push(seq);
    }
    expect(seen).toEqual(range(1, 301));
  });

  test('texts end with an error at a record that is missing, incomplete or of a later version', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const complete = await Promise.all(
      ['gap', 'cut', 'later'].map(async (id) => {
        const lease = (await store.claim(id))!;
        await store.append(id, [toNotice('1'), toNotice('2'), toNotice('3')], { lease });
        return (await readTexts(store, id))[1]!;
      }),
    );
    await harness.damage('gap', 2);
    await harness.damage('cut', 2, complete[1]!.slice(0, -1));
    await harness.damage('later', 2, complete[2]!.replace(/"v":\d+/, '"v":99'));
    for (const id of ['gap', 'cut', 'later']) {
      const seen: number[] = [];
      const reading = (async () => {
        for await (const { seq } of store.texts(id)) seen.push(seq);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'store.corrupt' });
      expect(seen).toEqual([1]);
    }
  });
}
