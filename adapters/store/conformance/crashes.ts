import { readLog } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import { range } from './collect-seqs.ts';
import type { CreateStoreHarness, TestedStore } from './store-harness.ts';

/** The work of a process, in commands of `fixtures/store-program.ts`. */
const STEPS = [
  'claim A',
  'append A 3',
  'send A c1',
  'send A c2',
  'consume A c1',
  'append A 6 3',
  'consume A c2',
  'blob A bytes',
  'release A',
] as const;

/** SIGKILL at every step: what was acknowledged is durable, and the rest happened completely or not at all. */
export function describeCrashes(create: CreateStoreHarness): void {
  test.each(STEPS.map((step, at) => [step, at] as const))('a process that is killed at "%s"', async (step, at) => {
    await using harness = await create();
    await using killed = await harness.start();
    const answers: string[] = [];
    for (const done of STEPS.slice(0, at)) answers.push(await killed.ask(done));
    // Not acknowledged: it may have happened or not.
    const unanswered = killed.ask(step).catch(() => undefined);
    await killed.kill();
    await unanswered;

    await using store = await harness.open();
    await checkStore(store, STEPS.slice(0, at));
    for (const answer of answers.filter((each) => each.startsWith('blob '))) {
      const bytes = await store.readBlob(answer.slice('blob '.length));
      expect(Buffer.from(bytes!).toString()).toBe('bytes');
    }
    // The next process takes over at once and continues the chain.
    const lease = (await store.claim('A'))!;
    expect(lease.fence).toBeGreaterThan(answers.includes('fence 1') ? 1 : 0);
    const { length } = await readLog(store, 'A');
    const [next] = await store.append('A', [toNotice('next')], { lease });
    expect(next!.seq).toBe(length + 1);
    expect(await store.verify('A')).toEqual({ intact: true, records: length + 1 });
  });

  test.each([1, 40, 150])('a process that is killed after its event %i is seen', async (last) => {
    await using harness = await create();
    await using store = await harness.open();
    await using killed = await harness.start();
    await killed.ask('claim A');
    const seen: number[] = [];
    const reached = new Promise<void>((resolve) => {
      store.subscribe('A', 0, ({ seq }) => {
        seen.push(seq);
        if (seq === last) resolve();
      });
    });
    const unanswered = killed.ask('append A 100000 2').catch(() => undefined);
    await reached;
    await killed.kill();
    await unanswered;
    const events = await readLog(store, 'A');
    // Two events are one transaction.
    expect(events.length % 2).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(range(1, events.length));
    expect(seen).toEqual(range(1, seen.length));
    expect(await store.verify('A')).toEqual({ intact: true, records: events.length });
  });
}

/** @param done The acknowledged steps. */
async function checkStore(store: TestedStore, done: readonly string[]): Promise<void> {
  const texts = (await readLog(store, 'A')).flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  const appended = done.reduce((sum, step) => sum + (/^append A (\d+)/.exec(step) ? Number(step.split(' ')[2]) : 0), 0);
  expect(texts.filter((text) => text.startsWith('A ')).length).toBeGreaterThanOrEqual(appended);
  const waiting = (await store.inbox('A')).map(({ id }) => id);
  for (const command of ['c1', 'c2']) {
    const isConsumed = texts.includes(`consumed ${command}`);
    const isWaiting = waiting.includes(command);
    // A command that was sent is consumed with its event, or it is still in the inbox.
    expect(isConsumed && isWaiting).toBe(false);
    expect(isConsumed || isWaiting || !done.includes(`send A ${command}`)).toBe(true);
    expect(isConsumed || !done.includes(`consume A ${command}`)).toBe(true);
  }
  const { length: records } = await readLog(store, 'A');
  expect(await store.verify('A')).toEqual({ intact: true, records });
}
