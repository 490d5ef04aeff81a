import { expect, test } from 'vitest';
import { estimateTokens } from './estimate.tsx';

test('text, files and images count', () => {
  const file = { part: { type: 'file', name: 'a', mediaType: 'text/plain', text: 'x'.repeat(300) } } as const;
  const image = { part: { type: 'image', mediaType: 'image/png', data: 'x'.repeat(9_000) } } as const;
  expect(estimateTokens('', [])).toBe(0);
  expect(estimateTokens('x'.repeat(31), [file, image])).toBe(11 + 100 + 1_600);
});
