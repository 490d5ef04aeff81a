import { readFileSync } from 'node:fs';
import { isCharged } from '@klaus/core/protocol';
import type { Event, EventOf, EventType } from '@klaus/sdk';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { expect } from 'vitest';
import type { Sent } from './clients.ts';

const ofType = <T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);

/** Lines of the file of the effects, with how often each is there. */
function countEffects(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Checks the logs of all sessions against what was sent, and against the effects that happened. */
export async function checkSessions(
  klaus: ClusterKlaus,
  { sent, effects }: { sent: Sent; effects: string },
): Promise<{ events: number; calls: number; approvals: number }> {
  const happened = countEffects(effects);
  expect([...happened].filter(([, count]) => count > 1)).toEqual([]);
  const sums = { events: 0, calls: 0, approvals: 0 };
  for (const [session, texts] of sent) {
    const events = (await Array.fromAsync(klaus.store.read(session))).flat();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
    const prompts = ofType(events, 'message.added').filter(({ message }) => message.origin === 'user');
    expect(prompts.map(({ message }) => toText(message.parts))).toEqual(texts);
    checkCalls(events, (key) => happened.has(`${session} ${key}`));
    sums.approvals += checkApprovals(events);
    sums.events += events.length;
    sums.calls += ofType(events, 'tool.finished').length;
    await checkCosts(klaus, session, events);
  }
  expect(await klaus.store.audit()).toMatchObject({ intact: true });
  return sums;
}

function toText(parts: EventOf<'message.added'>['message']['parts']): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
}

/** Each call ends once, and an effect is there if its call succeeded. */
function checkCalls(events: readonly Event[], hasHappened: (key: string) => boolean): void {
  const finished = ofType(events, 'tool.finished');
  const ids = finished.map(({ run, call }) => `${run} ${call}`);
  expect(ids).toEqual([...new Set(ids)]);
  const inputs = new Map<string, unknown>();
  for (const event of events) {
    if (event.type !== 'message.added' || event.message.origin !== 'model') continue;
    for (const part of event.message.parts) if (part.type === 'call') inputs.set(part.id, part.input);
  }
  for (const { call, outcome } of finished) {
    const { key } = inputs.get(call) as { key: string };
    if (outcome === 'ok') expect(hasHappened(key), key).toBe(true);
  }
}

/** Each approval is asked once and settled once. Returns their number. */
function checkApprovals(events: readonly Event[]): number {
  const asked = ofType(events, 'approval.asked').map(({ approval }) => approval);
  const answered = ofType(events, 'approval.answered').map(({ approval }) => approval);
  expect(asked).toEqual([...new Set(asked)]);
  expect(answered.toSorted()).toEqual(asked.toSorted());
  return asked.length;
}

/** What the queries report is the sum of the log, and no request is open. */
async function checkCosts(klaus: ClusterKlaus, session: string, events: readonly Event[]): Promise<void> {
  const { rows, reserved } = await klaus.usage({ session });
  expect(reserved).toEqual([]);
  const attempts = ofType(events, 'model.attempted').filter(isCharged);
  const ofLog = attempts.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
  expect(rows.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(ofLog);
}
