import { createHash } from 'node:crypto';
import type { LivePiece } from '@klaus/core/protocol';
import { createRedactor } from '@klaus/core/policy';
import { expect, test } from 'vitest';
import { LiveRedaction } from './live-redaction.ts';

const VALUE = 'correct-horse-battery-staple-9';
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const redactor = createRedactor({ salt: 's', digest, values: [{ name: 'known', value: VALUE }] });
const redact = (text: string): string => redactor.redact(text);
const KEY = `-----BEGIN PRIVATE KEY-----\n${`${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)}\n`.repeat(20)}-----END PRIVATE KEY-----\n`;

/** What is passed on of a text that arrives in pieces, with offsets that continue. */
function pass(text: string, size: number, { redaction = new LiveRedaction(), key = 'm', from = 0 } = {}): string {
  let passed = '';
  let expected: number | undefined;
  for (let at = 0; at < text.length; at += size) {
    const piece = toPiece(key, from + at, text.slice(at, at + size));
    const clean = redaction.add(piece, redact);
    if (!clean) continue;
    expect(clean.offset).toBe(expected ?? clean.offset);
    expected = clean.offset + clean.text.length;
    passed += clean.text;
  }
  return passed;
}

function toPiece(message: string, offset: number, text: string): LivePiece {
  return { type: 'message.delta', session: 'S', message, part: 'text', offset, text };
}

test('pieces of any size pass on the redacted text, up to the last word', () => {
  const ordinary = 'The first paragraph has words. 日本語の文章。 Emoji 🧮 too.\n\nAnd a second one.\n'.repeat(60);
  const texts = [
    ordinary,
    `before ${VALUE} between ${VALUE}. after\n${ordinary}`,
    `the key:\n${KEY}and after it\n`,
    `password = "xK9#mP2$vL5nQ8wR" is set\n${ordinary}`,
  ];
  for (const text of texts) {
    for (const size of [1, 3, 7, 50, 5_000]) expect(pass(text, size)).toBe(redact(text));
    expect(pass(`${text}last`, 4)).toBe(redact(text));
  }
});

test('a word without an end waits, and one of an unusual length does not wait for ever', () => {
  const redaction = new LiveRedaction();
  expect(redaction.add(toPiece('m', 0, 'one two'), redact)).toMatchObject({ offset: 0, text: 'one ' });
  expect(redaction.add(toPiece('m', 7, 'three'), redact)).toBeUndefined();
  expect(redaction.add(toPiece('m', 12, ' four'), redact)).toMatchObject({ offset: 4, text: 'twothree ' });
  expect(pass('x'.repeat(3_000), 10).length).toBeGreaterThan(1_500);
});

test('texts do not mix: of each message, part and call, in each session', () => {
  const redaction = new LiveRedaction();
  const half = VALUE.length / 2;
  const [head, tail] = [VALUE.slice(0, half), VALUE.slice(half)];
  const pieces: LivePiece[] = [
    toPiece('m', 0, head),
    { ...toPiece('m', 0, head), part: 'thinking' } as LivePiece,
    { ...toPiece('m', 0, head), session: 'T' },
    { type: 'tool.progress', session: 'S', call: 'm', offset: 0, text: head },
  ];
  for (const piece of pieces) expect(redaction.add(piece, redact)).toBeUndefined();
  for (const piece of pieces) {
    const next = { ...piece, offset: half, text: `${tail} end ` };
    expect(redaction.add(next, redact)?.text).toMatch(/^\[secret:known:[0-9a-f]{8}\] end $/);
  }
});

test('after a gap the rest of a word is skipped, and offsets say what is missing', () => {
  const redaction = new LiveRedaction();
  expect(redaction.add(toPiece('m', 0, 'one two'), redact)).toMatchObject({ offset: 0, text: 'one ' });
  expect(redaction.add(toPiece('m', 10, 'battery'), redact)).toBeUndefined();
  expect(redaction.add(toPiece('m', 17, '-staple-9 next '), redact)).toMatchObject({ offset: 26, text: ' next ' });
  // The same for a text whose beginning was not seen.
  expect(redaction.add(toPiece('n', 5, 'staple-9 next '), redact)).toMatchObject({ offset: 13, text: ' next ' });
});

test('a forgotten text begins again', () => {
  const redaction = new LiveRedaction();
  redaction.add(toPiece('m', 0, 'one'), redact);
  redaction.add(toPiece('n', 0, 'two'), redact);
  redaction.forget('S', (piece) => piece.type === 'message.delta' && piece.message === 'm');
  expect(redaction.add(toPiece('m', 0, 'new '), redact)).toMatchObject({ offset: 0, text: 'new ' });
  expect(redaction.add(toPiece('n', 3, ' end '), redact)).toMatchObject({ offset: 0, text: 'two end ' });
});
