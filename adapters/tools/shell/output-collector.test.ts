import { expect, test } from 'vitest';
import type { LiveText } from '@klaus/core/agent';
import { OutputCollector } from './output-collector.ts';

function createCollector() {
  const blob: Buffer[] = [];
  const shown: LiveText[] = [];
  const collector = new OutputCollector({
    progress: (text) => void shown.push(text.toString()),
    openBlob: () => ({
      write: (chunk) => void blob.push(Buffer.from(chunk)),
      finish: async () => ({ hash: 'h', size: 1 }),
      abort() {},
    }),
  });
  return { collector, shown, bytes: () => Buffer.concat(blob) };
}

test.each([7, 1_000, 4_096, 29_999, 30_000, 30_001, 65_536])(
  'head, tail and count are those of the complete text, in chunks of %i bytes',
  async (size) => {
    const words = Array.from({ length: 40_000 }, (_, at) => (at % 1_000 < 500 ? `word ${at}\n` : `wört ${at} 😀\n`));
    const text = words.join('');
    const { collector, shown, bytes } = createCollector();
    const all = Buffer.from(text);
    // One buffer for all chunks, as of a reader: the collector must copy it.
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < all.length; at += size) {
      const length = all.copy(chunk, 0, at, at + size);
      collector.add(chunk.subarray(0, length), 'stdout');
    }
    const result = await collector.finish();
    const left = text.length - 60_000;
    const [note] = /\n\[… .* …\]\n/.exec(result.text) ?? [''];
    // A character that a cut would divide is left out.
    const head = text.slice(0, 30_000).replace(/[\ud800-\udbff]$/, '');
    const tail = text.slice(-30_000).replace(/^[\udc00-\udfff]/, '');
    expect(result.text).toBe(`${head}${note}${tail}`);
    expect(note).toContain(`[… ${left} `);
    expect(shown.join('')).toBe(text);
    expect(bytes().equals(all)).toBe(true);
  },
);

test('short output is complete, also if a character is split between chunks', async () => {
  const { collector } = createCollector();
  const euro = Buffer.from('€');
  collector.add(Buffer.from('a'), 'stdout');
  collector.add(euro.subarray(0, 1), 'stdout');
  collector.add(Buffer.from('!'), 'stderr');
  collector.add(euro.subarray(1), 'stdout');
  collector.add(Buffer.from('z'), 'stdout');
  expect(await collector.finish()).toEqual({ text: 'a!€z', lines: 1 });
});
