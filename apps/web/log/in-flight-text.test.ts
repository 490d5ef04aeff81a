import type { Event, Live } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createLive, settleLive, takeLive } from './in-flight-text.ts';

function delta(offset: number, text: string): Live {
  return { type: 'message.delta', session: 's', message: 'm', part: 'text', offset, text };
}

function read(pieces: readonly Live[]): string | undefined {
  const live = createLive();
  for (const piece of pieces) takeLive(live, piece);
  return live.messages.get('m')?.text.text;
}

test('pieces that overlap, as after a reconnection, are joined without a word twice', () => {
  expect(read([delta(0, 'Hello'), delta(5, ' world')])).toBe('Hello world');
  expect(read([delta(0, 'Hello'), delta(0, 'Hello wor'), delta(3, 'lo world')])).toBe('Hello world');
  expect(read([delta(0, 'Hello'), delta(0, 'Hell')])).toBe('Hello');
});

test('the parts of a message hold what its text holds', () => {
  const live = createLive();
  const text = 'A paragraph of some words.\n\n'.repeat(200);
  for (let at = 0; at < text.length; at += 50)
    takeLive(live, delta(Math.max(0, at - 10), text.slice(Math.max(0, at - 10), at + 50)));
  const { parts } = live.messages.get('m')!;
  expect(parts.list().length).toBeGreaterThan(2);
  expect(parts.list().join('')).toBe(text.trimEnd() + '\n\n');
});

test('a gap is shown, and what comes after it is joined again', () => {
  expect(read([delta(0, 'Hel'), delta(9, 'ld'), delta(11, '!')])).toBe('Hel … ld!');
});

test('the durable event takes the text on its way with it', () => {
  const live = createLive();
  takeLive(live, delta(0, 'Hello'));
  takeLive(live, { type: 'tool.progress', session: 's', call: 'c', offset: 0, text: 'step 1' });
  settleLive(live, { type: 'message.added', message: { id: 'm' } } as Event);
  expect([live.messages.size, live.calls.size]).toEqual([0, 1]);
  settleLive(live, { type: 'tool.finished', call: 'c' } as Event);
  expect(live.calls.size).toBe(0);
});

test('a reply that broke off leaves nothing', () => {
  expect(read([delta(0, 'Hel'), { type: 'message.discarded', session: 's', message: 'm' }])).toBe(undefined);
});

test.each([
  { type: 'turn.started' },
  { type: 'model.requested' },
  { type: 'model.attempted', outcome: 'abandoned' },
  { type: 'run.finished' },
])('what a process that was killed had begun to say is gone with $type', (event) => {
  const live = createLive();
  takeLive(live, delta(0, 'Half a sen'));
  settleLive(live, { type: 'model.attempted', outcome: 'ok' } as Event);
  expect(live.messages.size).toBe(1);
  settleLive(live, event as Event);
  expect(live.messages.size).toBe(0);
});

test('of a call that talks without end only the end is kept', () => {
  const live = createLive();
  for (let at = 0; at < 50; at++) {
    takeLive(live, {
      type: 'tool.progress',
      session: 's',
      call: 'c',
      offset: at * 10_000,
      text: String(at % 10).repeat(10_000),
    });
  }
  const held = live.calls.get('c')!;
  expect(held.text.length).toBe(200_000);
  expect(held.text.endsWith('9')).toBe(true);
  expect(held.length).toBe(500_000);
});
