import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSources } from './imports.ts';

const root = join(import.meta.dirname, '..');
const sources = listSources(root).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

// Copies of these differ in time, and the difference is a hole or a defect.
test.each<[what: string, pattern: RegExp, files: string[]]>([
  // fish has rules of its own: core/protocol/shell-quote.ts is for the other shells.
  [
    'one file quotes for a shell',
    /replaceAll\((?:"'"|'\\''|\/'\/g), *(?:String\.raw)?["'`]'\\{1,2}''/,
    ['core/protocol/shell-quote.ts'],
  ],
  ['no file turns a glob into a regular expression', /replace(?:All)?\(\/\[\.\+\^\$/, []],
])('%s', (_, pattern, files) => {
  expect(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual(files);
});
