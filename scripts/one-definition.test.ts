import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSources } from './imports.ts';

const root = join(import.meta.dirname, '..');
const sources = listSources(root).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

// Copies of these differ in time, and the difference is a hole or a defect.
test.each<[what: string, pattern: RegExp, files: string[]]>([
  // fish has rules of its own: core/protocol/quote-shell-word.ts is for the other shells.
  [
    'one file quotes for a shell',
    /replaceAll\((?:"'"|'\\''|\/'\/g), *(?:String\.raw)?["'`]'\\{1,2}''/,
    ['core/protocol/quote-shell-word.ts'],
  ],
  // apps/debug does not import core.
  [
    'one file takes the message of an error',
    /(\w+)\s+instanceof Error\s*\?\s*\1\.message\s*:\s*String\(\1\)|error instanceof Error \? error\.message : error;/,
    ['apps/debug/investigate/message-of.ts', 'core/protocol/message-of.ts'],
  ],
  [
    'one file defines a record',
    /typeof (\w+) (?:=== 'object' && \1 !== null && !Array|!== 'object' \|\| \1 === null \|\| Array)\.isArray\(\1\)/,
    ['core/protocol/is-record.ts'],
  ],
  ['no file turns a glob into a regular expression', /replace(?:All)?\(\/\[\.\+\^\$/, []],
])('%s', (_, pattern, files) => {
  expect(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual(files);
});
