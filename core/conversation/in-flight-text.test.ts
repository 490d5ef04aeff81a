import type { Event, Live } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createInFlightText, removeStored, addPiece } from './in-flight-text.ts';

function delta(offset: number, text: string): Live {
  return { type: 'message.delta', session: 's', message: 'm', part: 'text', offset, text };
}

function read(pieces: readonly Live[]): string | undefined {
  const inFlight = createInFlightText();
  for (const piece of pieces) addPiece(inFlight, piece);
  return inFlight.messages.get('m')?.text.text;
}

test('overlapping pieces are joined without duplicates', () => {
  expect(read([delta(0, 'Hello'), delta(5, ' world')])).toBe('Hello world');
  expect(read([delta(0, 'Hello'), delta(0, 'Hello wor'), delta(3, 'lo world')])).toBe('Hello world');
  expect(read([delta(0, 'Hello'), delta(0, 'Hell')])).toBe('Hello');
});

test('the parts of a message contain its text', () => {
  const inFlight = createInFlightText();
  const text = 'A paragraph of some words.\n\n'.repeat(200);
  for (let at = 0; at < text.length; at += 50)
    addPiece(inFlight, delta(Math.max(0, at - 10), text.slice(Math.max(0, at - 10), at + 50)));
  const { parts } = inFlight.messages.get('m')!;
  expect(parts.list().length).toBeGreaterThan(2);
  expect(parts.list().join('')).toBe(text.trimEnd() + '\n\n');
});

test('a gap is marked, and later pieces are joined', () => {
  expect(read([delta(0, 'Hel'), delta(9, 'ld'), delta(11, '!')])).toBe('Hel … ld!');
});

test('the durable event removes the in-flight text', () => {
  const inFlight = createInFlightText();
  addPiece(inFlight, delta(0, 'Hello'));
  addPiece(inFlight, { type: 'tool.progress', session: 's', call: 'c', offset: 0, text: 'step 1' });
  removeStored(inFlight, { type: 'message.added', message: { id: 'm' } } as Event);
  expect([inFlight.messages.size, inFlight.calls.size]).toEqual([0, 1]);
  removeStored(inFlight, { type: 'tool.finished', call: 'c' } as Event);
  expect(inFlight.calls.size).toBe(0);
});

test('a discarded message leaves nothing', () => {
  expect(read([delta(0, 'Hel'), { type: 'message.discarded', session: 's', message: 'm' }])).toBe(undefined);
});

test.each([
  { type: 'turn.started' },
  { type: 'model.requested' },
  { type: 'model.attempted', outcome: 'abandoned' },
  { type: 'run.finished' },
])('the partial message of a killed process is removed by $type', (event) => {
  const inFlight = createInFlightText();
  addPiece(inFlight, delta(0, 'Half a sen'));
  removeStored(inFlight, { type: 'model.attempted', outcome: 'ok' } as Event);
  expect(inFlight.messages.size).toBe(1);
  removeStored(inFlight, event as Event);
  expect(inFlight.messages.size).toBe(0);
});

test('only the end of long output is stored', () => {
  const inFlight = createInFlightText();
  for (let at = 0; at < 50; at++) {
    addPiece(inFlight, {
      type: 'tool.progress',
      session: 's',
      call: 'c',
      offset: at * 10_000,
      text: String(at % 10).repeat(10_000),
    });
  }
  const held = inFlight.calls.get('c')!;
  expect(held.text.length).toBe(200_000);
  expect(held.text.endsWith('9')).toBe(true);
  expect(held.length).toBe(500_000);
});
