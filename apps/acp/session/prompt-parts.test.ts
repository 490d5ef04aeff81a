import { expect, test } from 'vitest';
import { toParts } from './prompt-parts.ts';

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
    '/w',
  );
  expect(parts).toEqual([{ type: 'text', text: 'Look at @src/a b.js and @/etc/hosts and https://example.com/x' }]);
});

test('embedded text is a file, with its lines if the address names them', () => {
  const resource = { uri: 'file:///w/a.js#L3:7', text: 'x', mimeType: 'text/javascript' };
  expect(toParts([{ type: 'resource', resource }], '/w')).toEqual([
    { type: 'file', name: 'a.js:3-7', mediaType: 'text/javascript', text: 'x' },
  ]);
});

test('images are parts, also embedded ones; other binary data is named', () => {
  const parts = toParts(
    [
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///w/b.gif', blob: 'BBBB', mimeType: 'image/gif' } },
      { type: 'resource', resource: { uri: 'file:///w/c.zip', blob: 'CCCC', mimeType: 'application/zip' } },
    ],
    '/w',
  );
  expect(parts).toEqual([
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    { type: 'image', mediaType: 'image/gif', data: 'BBBB' },
    { type: 'text', text: '[c.zip: application/zip, not included]' },
  ]);
});

test('unsupported contents are refused', () => {
  expect(() => toParts([{ type: 'audio', mimeType: 'audio/wav', data: '' }], '/w')).toThrow(
    expect.objectContaining({ code: -32_602 }),
  );
  expect(() => toParts([{ type: 'image', mimeType: 'image/tiff', data: '' }], '/w')).toThrow(
    expect.objectContaining({ code: -32_602 }),
  );
});
