import { expect, test } from 'vitest';
import { LastStates } from './last-states.ts';

function collect(chunks: readonly string[]): string {
  let out = '';
  const states = new LastStates((text) => void (out += text.toString()));
  for (const chunk of chunks) states.add(chunk);
  states.end();
  return out;
}

const BAR = Array.from({ length: 2_000 }, (_, at) => `\r${at + 1} of 2000`).join('');

test.each([
  ['plain lines', 'a\nb\nc', 'a\nb\nc'],
  ['a progress bar', `start\n${BAR}\ndone\n`, 'start\n2000 of 2000\ndone\n'],
  ['a bar that is cleared at its end', 'x\n10 %\r50 %\r      \r\nend\n', 'x\n50 %\r\nend\n'],
  ['lines that end with a carriage return', 'a\r\nb\r\n', 'a\r\nb\r\n'],
  ['a bar without a last line break', '1 %\r2 %', '2 %'],
  ['a long line', `${'x'.repeat(9_000)}\n`, `${'x'.repeat(9_000)}\n`],
])('%s, in pieces of any size', (_name, text, expected) => {
  for (const size of [1, 7, 1_000, 100_000]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(collect(chunks)).toBe(expected);
  }
});
