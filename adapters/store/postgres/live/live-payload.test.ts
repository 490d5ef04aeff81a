import type { Live } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { fromLivePayload, takeText, toPayloads } from './live-payload.ts';

const piece = (text: string, offset = 0): Live & { text: string } => ({
  type: 'tool.progress',
  session: 'S',
  call: 'c',
  offset,
  text,
});

test('a piece becomes payloads below the limit, which together are the piece', () => {
  for (const text of ['', 'short', '🧮'.repeat(5_000), 'ü'.repeat(8_001), '\0'.repeat(3_000), '"\\\n'.repeat(4_000)]) {
    const payloads = toPayloads(7, piece(text, 11));
    const found = payloads.map((payload) => fromLivePayload(payload)!);
    let joined = '';
    for (const { holder, live } of found) {
      expect(holder).toBe(7);
      expect(live).toMatchObject({ type: 'tool.progress', session: 'S', call: 'c', offset: 11 + joined.length });
      joined += (live as { text: string }).text;
    }
    expect(joined).toBe(text);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(payloads.length).toBe(payloads.length === 1 ? 1 : new Set(payloads).size);
  }
});

test('a piece whose ids are too long is dropped', () => {
  expect(toPayloads(7, { ...piece('x'.repeat(9_000)), session: 's'.repeat(5_000) })).toEqual([]);
  expect(toPayloads(7, { type: 'message.discarded', session: 'S', message: 'm'.repeat(9_000) })).toEqual([]);
});

test('a text is not cut inside a character', () => {
  expect([0, 1, 2, 3, 4].map((length) => takeText('a🧮b', length))).toEqual(['', 'a', 'a', 'a🧮', 'a🧮b']);
});

test('what is not a piece is no payload', () => {
  const payloads = ['', 'x', '7', '7:', '7:{', '7:null', '7:[]', '7:{"type":"message.added"}', 'x:{}', '-7:{}'];
  for (const payload of [...payloads, `7:${JSON.stringify({ ...piece('x'), offset: -1 })}`])
    expect(fromLivePayload(payload)).toBeUndefined();
});
