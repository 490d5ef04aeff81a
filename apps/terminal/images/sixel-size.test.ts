import { expect, test } from 'vitest';
import { toSixelSize } from './sixel-size.ts';

const CELL = { width: 8, height: 16 };
const SPACE = { columns: 60, rows: 15, cell: CELL };

test.each([
  ['a small image keeps its size', { widthPx: 20, heightPx: 12 }, { width: 20, height: 12, rows: 1 }],
  ['a wide one has the columns', { widthPx: 4_800, heightPx: 1_000 }, { width: 480, height: 100, rows: 7 }],
  ['a high one has the rows', { widthPx: 1_000, heightPx: 2_400 }, { width: 100, height: 240, rows: 15 }],
  ['a line remains visible', { widthPx: 100_000, heightPx: 2 }, { width: 480, height: 1, rows: 1 }],
])('%s', (_, image, size) => {
  expect(toSixelSize(image, SPACE)).toEqual(size);
});

test.each([1, 2, 3, 7, 15])('no band of six pixels is below row %i', (rows) => {
  for (const height of [5, 6, 13, 17, 20, 41]) {
    const size = toSixelSize({ widthPx: 100, heightPx: 9_000 }, { columns: 60, rows, cell: { width: 8, height } });
    if (rows * height < 6) expect(size).toBeUndefined();
    else {
      expect(size!.rows).toBeLessThanOrEqual(rows);
      expect(Math.ceil(size!.height / 6) * 6).toBeLessThanOrEqual(size!.rows * height);
    }
  }
});

test('a large image, an empty one and no space give no size', () => {
  expect(toSixelSize({ widthPx: 5_000, heightPx: 4_001 }, SPACE)).toBeUndefined();
  expect(toSixelSize({ widthPx: 5_000, heightPx: 4_000 }, SPACE)).toBeDefined();
  expect(toSixelSize({ widthPx: 0, heightPx: 10 }, SPACE)).toBeUndefined();
  expect(toSixelSize({ widthPx: 10, heightPx: 10 }, { ...SPACE, rows: 0 })).toBeUndefined();
});
