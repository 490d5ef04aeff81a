import { expect, test } from 'vitest';
import type { LiveText } from '@klaus/core/agent';
import { OutputKeeper } from './output-collector.ts';

function createKeeper() {
  const blob: Buffer[] = [];
  const shown: LiveText[] = [];
  const keeper = new OutputKeeper({
    progress: (text) => void shown.push(text.toString()),
    openBlob: () => ({
      write: (chunk) => void blob.push(Buffer.from(chunk)),
      finish: async () => ({ hash: 'h', size: 1 }),
      abort() {},
    }),
  });
  return { keeper, shown, bytes: () => Buffer.concat(blob) };
}

test.each([7, 1_000, 4_096, 29_999, 30_000, 30_001, 65_536])(
  'head, tail and count are those of the whole text, in chunks of %i bytes',
  async (size) => {
    const words = Array.from({ length: 40_000 }, (_, at) => (at % 1_000 < 500 ? `word ${at}\n` : `wört ${at} 😀\n`));
    const text = words.join('');
    const { keeper, shown, bytes } = createKeeper();
    const all = Buffer.from(text);
    // One buffer for all, as a reader may have it: nothing may be kept of it.
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < all.length; at += size) {
      const length = all.copy(chunk, 0, at, at + size);
      keeper.take(chunk.subarray(0, length), 'stdout');
    }
    const result = await keeper.finish();
    const left = text.length - 60_000;
    expect(result.text).toBe(
      `${text.slice(0, 30_000)}\n[… ${left} characters left out …]\n${text.slice(-30_000)}`.toWellFormed(),
    );
    expect(shown.join('')).toBe(text);
    expect(bytes().equals(all)).toBe(true);
  },
);

test('what is short is given whole, also where a character is cut between chunks', async () => {
  const { keeper } = createKeeper();
  const euro = Buffer.from('€');
  keeper.take(Buffer.from('a'), 'stdout');
  keeper.take(euro.subarray(0, 1), 'stdout');
  keeper.take(Buffer.from('!'), 'stderr');
  keeper.take(euro.subarray(1), 'stdout');
  keeper.take(Buffer.from('z'), 'stdout');
  expect(await keeper.finish()).toEqual({ text: 'a!€z' });
});
