import { expect, test } from 'vitest';
import { toShownDiff } from './shown-diff.ts';

const section = (path: string, content: Buffer | string, mode = '100644'): Buffer =>
  Buffer.concat([
    Buffer.from(`diff --git a/${path} b/${path}\nnew file mode ${mode}\nindex 0000..1111\n`),
    Buffer.from(`--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n`),
    Buffer.from(`+${Buffer.from(content).toString('latin1').replaceAll('\n', '\n+')}\n`, 'latin1'),
  ]);

test.each([
  ['a NUL byte', 'evil()\0', 'evil()\\x00'],
  ['bytes that are no text', Buffer.from([0x65, 0x76, 0x69, 0x6c, 0xff, 0x28]), 'evil\\xff('],
  ['a line that a terminal overwrites', 'evil()\rgood()', 'evil()\\x0dgood()'],
  ['another order of characters', 'a\u202eb', 'a\\u{202e}b'],
  ['characters without a width', 'a\u200bb\ufeffc\u{e0041}', 'a\\u{200b}b\\u{feff}c\\u{e0041}'],
  ['an escape sequence', 'a\x1b[8mb', 'a\\x1b[8mb'],
  ['ordinary text', 'größer: 漢字 🙂\t{', 'größer: 漢字 🙂\t{'],
  ['an end of Windows', 'a\r', 'a\\r'],
])('%s is shown', (_, content, shown) => {
  expect(toShownDiff(section('a.js', content)).text).toContain(`\n+${shown}\n`);
});

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from([0, 1, 2, 0xff])]);

test('media is shown as its size, and only media', () => {
  expect(toShownDiff(section('a.png', PNG)).text).toContain(`Media: ${PNG.length} bytes added`);
  expect(toShownDiff(section('a.js', PNG)).text).toContain('\\x89PNG');
  expect(toShownDiff(section('a.png', 'evil()')).text).toContain('+evil()');
  expect(toShownDiff(section('a.wasm', Buffer.from([0, 0x61, 0x73, 0x6d]))).text).toContain('+\\x00asm');
});

test('a line of a file that looks like the head of another one hides nothing', () => {
  const { text } = toShownDiff(
    Buffer.concat([section('a.png', PNG), section('b.js', 'diff --git a/c.png b/c.png\nevil()')]),
  );
  expect(text).toContain('evil()');
});

test('submodules are named', () => {
  const text =
    'diff --git a/lib b/lib\nindex 1111..2222 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n';
  expect(toShownDiff(Buffer.from(text)).submodules).toEqual(['lib']);
  expect(toShownDiff(section('lib', 'x', '160000')).submodules).toEqual(['lib']);
  expect(toShownDiff(section('a.js', 'index 1..2 160000')).submodules).toEqual([]);
});
