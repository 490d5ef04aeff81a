import { expect, test } from 'vitest';
import { CommandOutput } from './command-output.ts';
import { OutputCapture, toCharacterEnd } from './output-capture.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([1, 3, 7, 64, 1_000])('with chunks of %i bytes, the same head and tail are stored', (step) => {
  const all = bytes(Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n'));
  const capture = new OutputCapture(100);
  for (let at = 0; at < all.length; at += step) capture.write(all.subarray(at, at + step));
  const text = new TextDecoder().decode(all);
  const [note] = /\n\[… .* …\]\n/.exec(capture.toText()) ?? [''];
  expect(capture.toText()).toBe(`${text.slice(0, 60)}${note}${text.slice(-40)}`);
  expect(note).toContain(`[… ${(all.length - 100).toLocaleString('en-US')} bytes `);
  expect(capture.missing).toBe(all.length - 100);
});

test('output within the limit is unchanged', () => {
  const capture = new OutputCapture(10);
  capture.write(bytes('01234'));
  capture.write(bytes('56789'));
  expect(capture.toText()).toBe('0123456789');
  expect(capture.missing).toBe(0);
});

test('memory does not grow with the output', () => {
  const capture = new OutputCapture(100_000);
  const chunk = new Uint8Array(65_536).fill(97);
  capture.write(chunk);
  capture.write(chunk);
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 2_000; round++) capture.write(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

test('no character is split, neither at the gap nor between chunks', () => {
  const capture = new OutputCapture(10);
  capture.write(bytes('äöüäöüäöüäöü€€€€'));
  expect(capture.toText()).not.toContain('\uFFFD');
  const output = new CommandOutput({});
  const euro = bytes('€');
  output.write(euro.subarray(0, 1), 'stdout');
  output.write(bytes('err'), 'stderr');
  output.write(euro.subarray(1), 'stdout');
  expect(output.toResult()).toMatchObject({ stdout: '€', stderr: 'err', output: 'err€' });
});

test('invalid UTF-8 becomes replacement characters', () => {
  expect(toCharacterEnd(new Uint8Array([0x80, 0x80, 0x80, 0x80]))).toBe(4);
  const output = new CommandOutput({});
  output.write(new Uint8Array([97, 0xff, 98, 0xe2]), 'stdout');
  expect(output.toResult()).toMatchObject({ stdout: 'a\uFFFDb\uFFFD', output: 'a\uFFFDb\uFFFD', truncated: false });
});
