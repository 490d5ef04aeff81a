// Covers adapters/tools/files, core/agent/calls: files with unsaved changes in the user's editor.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditorBuffers, Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const FILES = { 'a.txt': 'saved\nsecond\n', 'crlf.txt': 'one\r\ntwo\r\n', 'b.txt': 'b\n' };

/** An editor with these files open. */
function createEditor(open: Record<string, string>) {
  const written: string[] = [];
  const name = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const buffers: EditorBuffers = {
    read: (path) => Promise.resolve(open[name(path)]),
    written: (path, text) => {
      written.push(`${name(path)}: ${text}`);
      open[name(path)] = text;
      return Promise.resolve();
    },
  };
  return { buffers, written, open };
}

type Call = { name: string; input: Record<string, string | number | Record<string, string>[]> };

async function run(calls: readonly Call[], open: Record<string, string>) {
  const script: Script = {
    steps: [{ when: { turn: 0 }, reply: { calls: calls.map((call) => ({ ...call })) } }, { reply: { text: 'Done.' } }],
    fallback: { text: 'Done.' },
  };
  const editor = createEditor(open);
  const engine = await createTestEngine({ script, files: FILES, buffers: () => editor.buffers });
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  const results = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  const read = (path: string): string => readFileSync(join(engine.place.workspace, path), 'utf8');
  return { ...editor, engine, session, results, read };
}

test('unsaved text is read, completely and by lines, and is marked', async () => {
  const calls: Call[] = [
    { name: 'read_file', input: { path: 'a.txt' } },
    { name: 'read_file', input: { path: 'a.txt', start: 2, end: 2 } },
  ];
  const { engine, results } = await run(calls, { 'a.txt': 'unsaved\nsecond line\n' });
  await using _ = engine;
  expect(results.map(({ output }) => output.split('\n[')[0])).toEqual(['unsaved\nsecond line\n', '2\tsecond line']);
  expect(results.every(({ output }) => output.includes('unsaved text'))).toBe(true);
});

test('a buffer that differs only in its line breaks is the saved file', async () => {
  const { engine, results, written, read } = await run(
    [{ name: 'edit_file', input: { path: 'crlf.txt', edits: [{ old: 'two', new: 'three' }] } }],
    { 'crlf.txt': 'one\ntwo\n' },
  );
  await using _ = engine;
  expect(results[0]).toMatchObject({ outcome: 'ok' });
  expect(read('crlf.txt')).toBe('one\r\nthree\r\n');
  expect(written).toEqual(['crlf.txt: one\r\nthree\r\n']);
});

const CHANGES: Call[] = [
  { name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'second', new: 'third' }] } },
  { name: 'write_file', input: { path: 'a.txt', content: 'new\n' } },
  { name: 'delete_file', input: { path: 'a.txt' } },
  { name: 'write_file', input: { path: 'unsaved-new.txt', content: 'new\n' } },
  {
    name: 'apply_patch',
    input: { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n saved\n-second\n+third\n' },
  },
];

test.each(CHANGES)('$name does not overwrite unsaved changes', async (call) => {
  const open = { 'a.txt': 'unsaved\nsecond\n', 'unsaved-new.txt': 'text of the user' };
  const { engine, results, written, read } = await run([call], { ...open });
  await using _ = engine;
  expect(results[0]).toMatchObject({ outcome: 'error', changes: [] });
  expect(results[0]?.output).toContain('unsaved changes');
  expect(read('a.txt')).toBe(FILES['a.txt']);
  expect(written).toEqual([]);
});

test('a change of another file is written, shown to the editor and can be undone', async () => {
  const { engine, session, results, written, read } = await run(
    [{ name: 'write_file', input: { path: 'b.txt', content: 'changed\n' } }],
    { 'a.txt': 'unsaved\n', 'b.txt': 'b\n' },
  );
  await using _ = engine;
  expect(results[0]).toMatchObject({ outcome: 'ok' });
  expect(written).toEqual(['b.txt: changed\n']);
  expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true });
  expect(read('b.txt')).toBe('b\n');
});
