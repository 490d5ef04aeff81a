import { expect, test } from 'vitest';
import type { EventBody } from './event.ts';
import { isReplaced, joinLive, liveSchema, type LivePiece } from './live.ts';

const delta: LivePiece = { type: 'message.delta', session: 'S', message: 'm', part: 'text', offset: 2, text: 'ab' };
const progress: LivePiece = { type: 'tool.progress', session: 'S', call: 'm', offset: 2, text: 'ab' };

test('pieces of one text that follow each other are joined', () => {
  for (const piece of [delta, progress]) {
    const next = { ...piece, offset: 4, text: 'cd' };
    expect(joinLive(piece, next)).toEqual({ ...piece, text: 'abcd' });
    for (const offset of [3, 5]) expect(joinLive(piece, { ...next, offset })).toBeUndefined();
  }
  expect(joinLive(delta, { ...progress, offset: 4 })).toBeUndefined();
  expect(joinLive(delta, { ...delta, offset: 4, message: 'n' })).toBeUndefined();
  expect(joinLive(delta, { ...delta, offset: 4, part: 'thinking' })).toBeUndefined();
});

test('an event replaces the text that it completes or discards', () => {
  const replaced = (event: unknown): [boolean, boolean] => [
    isReplaced(delta, event as EventBody),
    isReplaced(progress, event as EventBody),
  ];
  expect(replaced({ type: 'message.added', message: { id: 'm' } })).toEqual([true, false]);
  expect(replaced({ type: 'message.added', message: { id: 'n' } })).toEqual([false, false]);
  expect(replaced({ type: 'tool.finished', call: 'm' })).toEqual([false, true]);
  expect(replaced({ type: 'tool.finished', call: 'n' })).toEqual([false, false]);
  expect(replaced({ type: 'turn.started' })).toEqual([true, false]);
  expect(replaced({ type: 'model.attempted', outcome: 'connection' })).toEqual([true, false]);
  expect(replaced({ type: 'model.attempted', outcome: 'ok' })).toEqual([false, false]);
  expect(replaced({ type: 'run.finished' })).toEqual([true, true]);
  expect(replaced({ type: 'notice' })).toEqual([false, false]);
});

test('a piece is checked completely', () => {
  for (const live of [delta, progress, { type: 'message.discarded', session: 'S', message: 'm' }])
    expect(liveSchema.parse(live)).toEqual(live);
  for (const change of [{ offset: -1 }, { offset: 0.5 }, { text: 1 }, { session: undefined }, { type: 'other' }])
    expect(liveSchema.safeParse({ ...delta, ...change }).success).toBe(false);
});
