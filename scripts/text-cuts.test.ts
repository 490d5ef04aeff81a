import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTextCuts } from './text-cuts.ts';

const root = join(import.meta.dirname, '..');

/** Texts that are ASCII, or of which only the beginning is read. */
const KNOWN = [
  'adapters/mcp/tool-name.ts',
  'adapters/models/wire/replayed-message.ts',
  // Each character is a byte.
  'adapters/tools/files/form/detect-encoding.ts',
  // Its parts are repaired at the end.
  'adapters/tools/shell/text-ends.ts',
  'apps/debug/stack/fingerprint.ts',
  'core/policy/scripts/loaded-files.ts',
  'core/policy/shell/programs/wrappers.ts',
];

test('no text is cut between the halves of a character', () => {
  const found = findTextCuts(root, ['core', 'adapters', 'sdk', 'apps']);
  expect(found.filter((cut) => !KNOWN.includes(cut.split(':')[0]!))).toEqual([]);
});

test.each<[source: string, found: number]>([
  ['`${text.slice(0, 200)}…`', 1],
  ['line.slice(0, MAX_LINE)', 1],
  ["error.message.replaceAll(/\\s+/g, ' ').slice(0, 80)", 1],
  ["lines.join('\\n').slice(-MAX_OUTPUT)", 1],
  ['output.substring(0, max - 1)', 1],
  ['text.slice(0, 200).toWellFormed()', 0],
  ['text.slice(0, at)', 0],
  ['text.slice(PREFIX.length)', 0],
  ['hash.slice(0, 32)', 0],
  ['headOf(text, 200)', 0],
])('%s', (source, found) => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-cuts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'core'));
  writeFileSync(join(folder, 'core/a.ts'), `export const cut = ${source};\n`);
  expect(findTextCuts(folder, ['core'])).toHaveLength(found);
});
