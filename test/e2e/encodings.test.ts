// Covers adapters/tools/files, core/policy/text-encoding.ts: files that are not UTF-8.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { createTestEngine } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { callTool, createToolContext, noSandbox, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;

beforeEach(async () => {
  place = createTestHome();
  context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: noSandbox,
  });
});
afterEach(() => place[Symbol.dispose]());

const at = (path: string): string => join(place.workspace, path);
const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
const ENCODINGS = {
  'latin-1': (text: string) => Buffer.from(text, 'latin1'),
  'UTF-16 LE': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16 BE': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
};

describe.each(Object.entries(ENCODINGS))('%s', (_name, encode) => {
  const TEXT = 'erste Größe\r\nzweite Zeile\r\ndritte: 5 µm\r\n';

  test('is read as text, completely and by lines, with its encoding', async () => {
    writeFileSync(at('a.txt'), encode(TEXT));
    const complete = await call('read_file', { path: 'a.txt' });
    expect(complete.isError).toBeFalsy();
    expect(complete.text).toMatch(/^erste Größe\nzweite Zeile\ndritte: 5 µm\n\n?\[.*\b(windows-1252|utf-16)/);
    const lines = await call('read_file', { path: 'a.txt', start: 1, end: 1 });
    expect(lines.text).toMatch(/^1\terste Größe\n\[.*\b(windows-1252|utf-16)/);
  });

  test('is edited and patched in its own encoding, and undone to the byte', async () => {
    writeFileSync(at('a.txt'), encode(TEXT));
    await call('edit_file', { path: 'a.txt', edits: [{ old: 'zweite Zeile', new: 'zweite Ärmel' }] });
    expect(readFileSync(at('a.txt')).equals(encode(TEXT.replace('zweite Zeile', 'zweite Ärmel')))).toBe(true);
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-zweite Ärmel\n+zweite Zeile\n*** End Patch\n';
    await call('apply_patch', { patch });
    expect(readFileSync(at('b.txt')).equals(encode(TEXT))).toBe(true);
  });

  test('keeps its encoding when it is replaced', async () => {
    writeFileSync(at('a.txt'), encode(TEXT));
    await call('write_file', { path: 'a.txt', content: 'neu: ß\n' });
    expect(readFileSync(at('a.txt')).equals(encode('neu: ß\r\n'))).toBe(true);
  });
});

test('a character that the file’s encoding does not have is refused, and nothing is written', async () => {
  const content = Buffer.from('Größe\n', 'latin1');
  writeFileSync(at('a.txt'), content);
  await expect(call('edit_file', { path: 'a.txt', edits: [{ old: 'e\n', new: 'e →\n' }] })).rejects.toMatchObject({
    code: 'tool.failed',
    message: expect.stringContaining('"→"'),
  });
  expect(readFileSync(at('a.txt')).equals(content)).toBe(true);
  const written = await call('write_file', { path: 'a.txt', content: 'Größe →\n' });
  expect(written.text).toContain('UTF-8');
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('Größe →\n');
});

test('a search finds and shows lines of a Latin-1 file', async () => {
  writeFileSync(at('a.txt'), Buffer.from('needle: Größe\n', 'latin1'));
  expect((await call('search_files', { pattern: 'needle' })).text).toContain('1: needle: Größe');
});

test('undo brings back the bytes, and the diff of a question shows letters', async () => {
  const before = Buffer.from('Größe\nzwei\n', 'latin1');
  await using engine = await createTestEngine({
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'zwei', new: 'zwölf' }] } }] },
        },
      ],
      fallback: { text: 'Done.' },
    },
    settings: { approve: 'ask' },
  });
  const path = join(engine.place.workspace, 'a.txt');
  writeFileSync(path, before);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  const parked = await session.advance();
  const [asked] = parked.state === 'parked' ? parked.approvals : [];
  expect(asked?.subject.kind === 'call' && asked.subject.hunks?.[0]?.lines).toEqual([' Größe', '-zwei', '+zwölf']);
  await engine.klaus.answer(asked!.approval, 'approved');
  await session.advance();
  expect(readFileSync(path).equals(Buffer.from('Größe\nzwölf\n', 'latin1'))).toBe(true);
  await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(readFileSync(path).equals(before)).toBe(true);
});

describe('an encoding that is not certain', () => {
  /** Two characters of GBK, which are also letters of Latin encodings and characters of Big5. */
  const GBK = Buffer.from('2f2f20d6d0cec4d7a2cacd0a696e742061203d20313b0a', 'hex');
  const edit = (text: string) => call('edit_file', { path: 'm.cpp', edits: [{ old: 'a = 1', new: text }] });

  test('is named by a reading, and not used to write', async () => {
    writeFileSync(at('m.cpp'), GBK);
    expect((await call('read_file', { path: 'm.cpp' })).text).toMatch(/\n\[.*not certain.*\]$/);
    await expect(edit('a = 2; // größe')).rejects.toMatchObject({
      code: 'tool.failed',
      hint: expect.stringContaining('.editorconfig'),
    });
    await expect(call('write_file', { path: 'm.cpp', content: '// größe\n' })).rejects.toMatchObject({
      code: 'tool.failed',
    });
    expect(readFileSync(at('m.cpp')).equals(GBK)).toBe(true);
    await edit('a = 2');
    expect(readFileSync(at('m.cpp')).equals(Buffer.from(GBK.toString('hex').replace('31', '32'), 'hex'))).toBe(true);
  });

  test.each([
    ['.editorconfig', 'root = true\n[*.{c,cpp}]\ncharset = gbk\n'],
    ['.gitattributes', '*.cpp text working-tree-encoding=CP936\n'],
  ])('is that of %s', async (name, rules) => {
    writeFileSync(at('m.cpp'), GBK);
    writeFileSync(at(name), rules);
    expect((await call('read_file', { path: 'm.cpp' })).text).toMatch(/^\/\/ 中文注释\n/);
    expect((await call('search_files', { pattern: '中文' })).text).toContain('m.cpp\n1: // 中文注释');
    await edit('a = 2; // 中');
    expect(readFileSync(at('m.cpp')).includes(Buffer.from('2f2f20d6d03b0a', 'hex'))).toBe(true);
    writeFileSync(at('m.cpp'), GBK);
    await expect(edit('größe')).rejects.toMatchObject({ message: expect.stringContaining('gbk') });
  });

  test('does not matter for letters that its encodings share', async () => {
    writeFileSync(at('m.cpp'), Buffer.from('// größe\nint a = 1;\n', 'latin1'));
    await edit('a = 2; // für');
    expect(readFileSync(at('m.cpp'), 'latin1')).toBe('// größe\nint a = 2; // für;\n');
    await expect(call('edit_file', { path: 'm.cpp', edits: [{ old: 'für', new: 'très' }] })).rejects.toMatchObject({
      message: expect.stringContaining('è'),
    });
  });
});

test('a new file has the form that the project sets', async () => {
  writeFileSync(
    at('.editorconfig'),
    'root = true\n[*.cs]\ncharset = utf-8-bom\nend_of_line = crlf\ninsert_final_newline = true\nindent_style = tab\n',
  );
  writeFileSync(at('.gitattributes'), '*.bat eol=crlf\n');
  const made = await call('write_file', { path: 'sub/a.cs', content: 'class A {\n  int a;\n}' });
  expect(readFileSync(at('sub/a.cs'), 'utf8')).toBe('\uFEFFclass A {\r\n  int a;\r\n}\r\n');
  expect(made.text).toContain('indent_style');
  await call('apply_patch', { patch: '*** Begin Patch\n*** Add File: b.bat\n+echo\n*** End Patch' });
  expect(readFileSync(at('b.bat'), 'utf8')).toBe('echo\r\n');
  await call('write_file', { path: 'c.txt', content: 'x' });
  expect(readFileSync(at('c.txt'), 'utf8')).toBe('x');
});

test('a complete write keeps mark and line ends, and says what else differs', async () => {
  writeFileSync(at('a.cs'), '\uFEFFusing A;\r\nint a = 1;\r\n');
  const { intent } = await call('write_file', { path: 'a.cs', content: 'using A;\nint a = 2;\n' });
  expect(readFileSync(at('a.cs'), 'utf8')).toBe('\uFEFFusing A;\r\nint a = 2;\r\n');
  expect(intent.title).toContain('(+1 −1)');
  writeFileSync(at('b.txt'), 'one\ntwo');
  expect((await call('write_file', { path: 'b.txt', content: 'one\nthree\n' })).text).toContain('no line break');
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('one\nthree');
});

test('a read-only file needs an approval, and keeps its mode', async () => {
  const step = (call: ToolCall) => ({ reply: { calls: [call] } });
  await using engine = await createTestEngine({
    files: { 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' },
    script: {
      steps: [
        step({ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }),
        step({ name: 'delete_file', input: { path: 'b.txt' } }),
        step({ name: 'edit_file', input: { path: 'c.txt', edits: [{ old: 'one', new: 'two' }] } }),
      ],
      fallback: { text: 'Done.' },
    },
    settings: { approve: 'auto' },
  });
  const path = (name: string): string => join(engine.place.workspace, name);
  chmodSync(path('a.txt'), 0o444);
  chmodSync(path('b.txt'), 0o400);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  for (const name of ['a.txt', 'b.txt']) {
    const parked = await session.advance();
    const [asked] = parked.state === 'parked' ? parked.approvals : [];
    expect(asked?.reason).toContain(name);
    await engine.klaus.answer(asked!.approval, name === 'a.txt' ? 'approved' : 'rejected');
  }
  await session.advance();
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('two\n');
  expect(statSync(path('a.txt')).mode & 0o777).toBe(0o444);
  expect(['b.txt', 'c.txt'].map((name) => readFileSync(path(name), 'utf8'))).toEqual(['one\n', 'two\n']);
});
