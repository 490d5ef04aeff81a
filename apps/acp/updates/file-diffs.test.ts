import { expect, test } from 'vitest';
import { toDiffContents, toDiffLocations } from './file-diffs.ts';

const DIFF = `--- a/src/sum.js
+++ b/src/sum.js
@@ -3,2 +3,2 @@
 keep
-a - b
+a + b
@@ -20,1 +20,2 @@
 last
+-- more
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,1 @@
+one
\\ No newline at end of file
--- a/gone.txt
+++ /dev/null
@@ -1,1 +0,0 @@
--- a line that looks like a header
`;

test('each hunk is a diff with the lines before and after', () => {
  expect(toDiffContents(DIFF, '/w')).toEqual([
    { type: 'diff', path: '/w/src/sum.js', oldText: 'keep\na - b\n', newText: 'keep\na + b\n' },
    { type: 'diff', path: '/w/src/sum.js', oldText: 'last\n', newText: 'last\n-- more\n' },
    { type: 'diff', path: '/w/new.txt', oldText: null, newText: 'one\n' },
    { type: 'diff', path: '/w/gone.txt', oldText: '-- a line that looks like a header\n', newText: '' },
  ]);
});

test('a location is the first changed place of a file', () => {
  expect(toDiffLocations(DIFF, '/w')).toEqual([
    { path: '/w/src/sum.js', line: 3 },
    { path: '/w/new.txt', line: 1 },
    { path: '/w/gone.txt', line: 1 },
  ]);
});

test('a change without lines has no diff', () => {
  expect(toDiffContents('--- a/x.png\n+++ b/x.png\nBinary file.\n', '/w')).toEqual([]);
  expect(toDiffContents('', '/w')).toEqual([]);
});
