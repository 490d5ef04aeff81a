import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toDroppedFile, toParts } from './prompt-parts.ts';

test('a short paste is a part of the prompt, a long one is a file, and an image needs its mark', () => {
  const long = 'x'.repeat(10_001);
  const pastes = new Map([
    ['[paste #1 +11 lines]', 'short $& text'],
    ['[paste #2 10001 chars]', long],
  ]);
  const part = { type: 'image', mediaType: 'image/png', data: '' } as const;
  const images = [
    { mark: '[image 1: a.png]', part },
    { mark: '[image 2: b.png]', part },
  ];
  const text = 'see [paste #1 +11 lines] and [paste #2 10001 chars] [image 2: b.png]';
  expect(toParts({ text, pastes }, images)).toEqual([
    { type: 'text', text: 'see short $& text and [paste #2 10001 chars] [image 2: b.png]' },
    { type: 'file', name: 'paste-1.txt', mediaType: 'text/plain', text: long },
    part,
  ]);
});

test('the path of a dropped file is found as terminals paste it; other text is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus drop-'));
  try {
    const image = join(folder, 'a b.png');
    writeFileSync(image, '\u0089PNG\r\n\u001a\nrest', 'latin1');
    const file = join(folder, 'notes.png');
    writeFileSync(file, 'no image');
    const found = { path: image, image: expect.objectContaining({ mediaType: 'image/png' }) as unknown };
    expect(toDroppedFile(`'${image}'`)).toEqual(found);
    expect(toDroppedFile(image.replaceAll(' ', String.raw`\ `))).toEqual(found);
    expect(toDroppedFile(`file://${encodeURI(image)} `)).toEqual(found);
    expect(toDroppedFile(`"${file}"`)).toEqual({ path: file });
    for (const text of [join(folder, 'missing'), folder, 'notes.png', `${file}\n${file}`, ''])
      expect({ text, found: toDroppedFile(text) }).toEqual({ text, found: undefined });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
