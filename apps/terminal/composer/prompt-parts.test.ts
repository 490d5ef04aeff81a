import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toDroppedFile, toEdited, toParts } from './prompt-parts.ts';

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

test('a sent prompt is edited with its files and images', () => {
  const part = { type: 'image', mediaType: 'image/png', data: 'AA==' } as const;
  const file = { type: 'file', name: 'paste-1.txt', mediaType: 'text/plain', text: 'long' } as const;
  const other = { ...file, name: 'other.txt' };
  const { text, attached } = toEdited(
    [{ type: 'text', text: 'see [image 1: a.png] and [paste #1 +200 lines], [image 9: none]' }, file, other, part],
    3,
  );
  expect(text).toBe('see [image 3: a.png] and [file 4: paste-1.txt], [image 9: none] [file 5: other.txt]');
  expect(toParts({ text, pastes: new Map() }, attached)).toEqual([{ type: 'text', text }, part, file, other]);
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
