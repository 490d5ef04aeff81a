import { expect, test } from 'vitest';
import { toParts } from './prompt-parts.ts';

const PLACE = { workspace: '/w', maxChars: 10 };
const PNG = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
const invalid = expect.objectContaining({ code: -32_602 });

test('texts and links to files are one text, with paths relative to the workspace', () => {
  const parts = toParts(
    [
      { type: 'text', text: 'Look at ' },
      { type: 'resource_link', uri: 'file:///w/src/a%20b.js', name: 'a b.js' },
      { type: 'text', text: ' and ' },
      { type: 'resource_link', uri: 'file:///etc/hosts', name: 'hosts' },
      { type: 'text', text: ' and ' },
      { type: 'resource_link', uri: 'https://example.com/x', name: 'x' },
    ],
    { ...PLACE, maxChars: 0 },
  );
  expect(parts).toEqual([{ type: 'text', text: 'Look at @src/a b.js and @/etc/hosts and https://example.com/x' }]);
});

test('embedded text is a file, with its lines if the address names them', () => {
  const resource = { uri: 'file:///w/a.js#L3:7', text: 'x', mimeType: 'text/javascript' };
  expect(toParts([{ type: 'resource', resource }], PLACE)).toEqual([
    { type: 'file', name: 'a.js:3-7', mediaType: 'text/javascript', text: 'x' },
  ]);
});

test('images are parts, also embedded ones; other binary data is named', () => {
  const parts = toParts(
    [
      { type: 'image', mimeType: 'image/jpeg', data: PNG.toString('base64') },
      { type: 'resource', resource: { uri: 'file:///w/b.gif', blob: btoa('GIF89a'), mimeType: 'image/gif' } },
      { type: 'resource', resource: { uri: 'file:///w/c.zip', blob: 'CCCC', mimeType: 'application/zip' } },
    ],
    { ...PLACE, maxChars: 0 },
  );
  expect(parts).toEqual([
    // Its first bytes say that it is a PNG.
    { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
    { type: 'image', mediaType: 'image/gif', data: btoa('GIF89a') },
    { type: 'text', text: '[c.zip: application/zip, not included]' },
  ]);
});

test('a long text is an attached file', () => {
  expect(toParts([{ type: 'text', text: 'more than ten' }], PLACE)).toEqual([
    { type: 'text', text: expect.stringContaining('prompt.txt') },
    { type: 'file', name: 'prompt.txt', mediaType: 'text/plain', text: 'more than ten' },
  ]);
});

test.each([
  ['nothing', []],
  ['an empty text', [{ type: 'text', text: '' }]],
  ['audio', [{ type: 'audio', mimeType: 'audio/wav', data: '' }]],
  ['an image of another kind', [{ type: 'image', mimeType: 'image/tiff', data: 'SUkqAA==' }]],
  ['an image that is too large', [{ type: 'image', mimeType: 'image/png', data: toLargeImage() }]],
  ['a text that is too long', [{ type: 'text', text: 'x'.repeat(9_000_000) }]],
] as const)('it is refused: %s', (_, prompt) => {
  expect(() => toParts([...prompt], PLACE)).toThrow(invalid);
});

function toLargeImage(): string {
  return Buffer.concat([PNG, Buffer.alloc(6_000_000)]).toString('base64');
}
