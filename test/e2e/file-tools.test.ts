// Covers adapters/tools/files, adapters/tools/search, adapters/workspace: file tools.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, noSandbox, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;

beforeEach(async () => {
  place = createTestHome({
    'src/sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
    'README.md': '# Test\n',
  });
  context = createToolContext({
    workspace: await createWorkspace(place.workspace, { stateDir: join(place.home, 'workspace') }),
    sandbox: noSandbox,
    secrets: { '<SECRET_1>': 'hunter2-hunter2' },
    maxSearchResults: 5,
  });
});
afterEach(() => place[Symbol.dispose]());

const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const on = (path: string) => readFileSync(join(place.workspace, path), 'utf8');
const failure = (name: string, input: unknown) =>
  call(name, input).then(
    () => 'no error',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

describe('read_file', () => {
  test('gives the exact text, or numbered lines of a range', async () => {
    expect((await call('read_file', { path: 'src/sum.js' })).text).toBe(on('src/sum.js'));
    expect((await call('read_file', { path: 'src/sum.js', start: 2, end: 2 })).text).toBe('2\t  return a - b;');
    expect((await call('read_file', { path: 'src/sum.js', start: 2 })).text).toBe('2\t  return a - b;\n3\t}');
    expect(await failure('read_file', { path: 'src/sum.js', start: 9 })).toMatch(/^tool\.failed: .*\b3\b.*\b9\b/);
    expect((await call('read_file', { path: 'src/sum.js' })).intent.access).toEqual([
      { kind: 'fs', path: join(place.workspace, 'src/sum.js'), right: 'r' },
    ]);
  });

  test('names what is not text, and reads the head or a range of what is too long', async () => {
    put('image.png', Buffer.from('89504e470d0a1a0a0000', 'hex'));
    expect(await call('read_file', { path: 'image.png' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/\bPNG\b.*\b10\b/),
    });
    put('bytes.bin', Buffer.from([0x67, 0xfc, 0x01]));
    expect(await call('read_file', { path: 'bytes.bin' })).toMatchObject({ isError: true });
    put('big.log', Array.from({ length: 400_000 }, (_, i) => `line ${i + 1}`).join('\n'));
    const head = (await call('read_file', { path: 'big.log' })).text;
    expect(head).toContain('line 1000\n');
    expect(head).toMatch(/\n\[big\.log .*\b1000\b.*\]$/);
    expect((await call('read_file', { path: 'big.log', start: 399_999 })).text).toBe(
      '399999\tline 399999\n400000\tline 400000',
    );
    put('empty', '');
    expect((await call('read_file', { path: 'empty' })).text).toMatch(/^\(.+\)$/);
    expect(await failure('read_file', { path: 'src' })).toContain('list_files');
  });
});

describe('edit_file', () => {
  test('replaces exact text in several places, showing the diff before it writes', async () => {
    const tool = builtinTools.find(({ name }) => name === 'edit_file')!;
    const input = {
      path: 'src/sum.js',
      edits: [
        { old: 'a - b', new: 'a + b' },
        { old: 'export function', new: 'export async function' },
      ],
    };
    const intent = await tool.prepare!(input, context);
    expect(on('src/sum.js')).toContain('a - b');
    expect(intent).toMatchObject({
      title: 'edit src/sum.js (+2 −2)',
      access: [{ kind: 'fs', path: join(place.workspace, 'src/sum.js'), right: 'w' }],
      changes: [{ path: 'src/sum.js', kind: 'modified', before: await context.workspace.hash('src/sum.js') }],
    });
    expect(intent.diff).toContain('--- a/src/sum.js\n+++ b/src/sum.js\n');
    expect(intent.diff).toContain('-  return a - b;\n+export async function sum(a, b) {\n+  return a + b;\n');
    const output = await tool.run(input, context, intent);
    expect(output.text).toMatch(/ src\/sum\.js \(\+2 −2\)$/);
    expect(on('src/sum.js')).toBe('export async function sum(a, b) {\n  return a + b;\n}\n');
    expect(output.changes?.[0]?.after).toBe(intent.changes?.[0]?.after);
  });

  test('a file that changed after the look is not overwritten', async () => {
    const tool = builtinTools.find(({ name }) => name === 'edit_file')!;
    const input = { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] };
    const intent = await tool.prepare!(input, context);
    put('src/sum.js', 'mine\n');
    await expect(tool.run(input, context, intent)).rejects.toMatchObject({ code: 'workspace.conflict' });
    expect(on('src/sum.js')).toBe('mine\n');
  });

  test('says why text is not found and where it nearly is', async () => {
    put('tabs.js', 'one\nif (x) {\n\treturn 1;\n}\n');
    expect(
      await failure('edit_file', { path: 'tabs.js', edits: [{ old: 'if (x) {\n  return 1;\n}', new: '' }] }),
    ).toMatch(/:\n2\tif \(x\) \{\n3\t\treturn 1;\n4\t\}\n.*\b3\b.*\b1 tab\b.*\b2 spaces\b/);
    put('twice.txt', 'x\ny\nx\n');
    expect(await failure('edit_file', { path: 'twice.txt', edits: [{ old: 'x', new: 'z' }] })).toMatch(
      /\b2\b.*\b1, 3\b/,
    );
    await call('edit_file', { path: 'twice.txt', edits: [{ old: 'x', new: '$&', all: true }] });
    expect(on('twice.txt')).toBe('$&\ny\n$&\n');
    expect(
      await failure('edit_file', {
        path: 'twice.txt',
        edits: [
          { old: 'y', new: 'z' },
          { old: 'nope', new: '' },
        ],
      }),
    ).toMatch(/^tool\.failed: \D*2\D+2\b.*twice\.txt/);
    expect(on('twice.txt')).toContain('y');
  });

  test('keeps line ends, the byte-order mark and the mode', async () => {
    put('dos.txt', '\ufeffone\r\ntwo\r\nthree\r\n');
    chmodSync(join(place.workspace, 'dos.txt'), 0o755);
    expect((await call('read_file', { path: 'dos.txt' })).text).toBe('\ufeffone\ntwo\nthree\n');
    await call('edit_file', { path: 'dos.txt', edits: [{ old: 'two\nthree', new: '2\n3\n4' }] });
    expect(on('dos.txt')).toBe('\ufeffone\r\n2\r\n3\r\n4\r\n');
    expect(statSync(join(place.workspace, 'dos.txt')).mode & 0o777).toBe(0o755);
    put('mixed.txt', 'one\r\ntwo\nthree\r\nfour\r\n');
    await call('edit_file', { path: 'mixed.txt', edits: [{ old: 'three\nfour', new: '3\n4' }] });
    expect(on('mixed.txt')).toBe('one\r\ntwo\n3\r\n4\r\n');
  });

  test('placeholders become the secrets of that file, and of no other', async () => {
    put('.env', 'PASSWORD=hunter2-hunter2\nPORT=1\n');
    await call('edit_file', {
      path: '.env',
      edits: [{ old: 'PASSWORD=<SECRET_1>\nPORT=1', new: 'PASSWORD=<SECRET_1>\nPORT=2' }],
    });
    expect(on('.env')).toBe('PASSWORD=hunter2-hunter2\nPORT=2\n');
    await call('apply_patch', {
      patch: '*** Begin Patch\n*** Update File: .env\n PASSWORD=<SECRET_1>\n-PORT=2\n+PORT=3\n*** End Patch',
    });
    expect(on('.env')).toBe('PASSWORD=hunter2-hunter2\nPORT=3\n');
    await call('write_file', { path: 'notes.txt', content: 'it is <SECRET_1>' });
    expect(on('notes.txt')).toBe('it is <SECRET_1>');
  });
});

describe('write_file and delete_file', () => {
  test('create with folders, replace, delete', async () => {
    expect(await call('write_file', { path: 'a/b/new.txt', content: 'one\n' })).toMatchObject({
      text: expect.stringContaining('a/b/new.txt (+1 −0)'),
      changes: [{ kind: 'created', path: 'a/b/new.txt' }],
    });
    const replaced = await call('write_file', { path: 'a/b/new.txt', content: 'two\nthree\n' });
    expect(replaced.intent.title).toBe('write a/b/new.txt (+2 −1)');
    expect((await call('write_file', { path: 'a/b/new.txt', content: 'two\nthree\n' })).changes).toEqual([]);
    expect(await call('delete_file', { path: 'a/b/new.txt' })).toMatchObject({
      changes: [{ kind: 'deleted', path: 'a/b/new.txt' }],
    });
    expect(existsSync(join(place.workspace, 'a/b/new.txt'))).toBe(false);
    expect(await failure('delete_file', { path: 'a/b' })).toMatch(/^tool\.failed: a\/b /);
    expect(await failure('delete_file', { path: 'nothing' })).toMatch(/^tool\.failed: nothing /);
  });
});

describe('apply_patch', () => {
  test('all sections over several files in one step', async () => {
    put('old.txt', 'old\n');
    put('move.sh', 'a\r\nb\r\n');
    chmodSync(join(place.workspace, 'move.sh'), 0o755);
    const output = await call('apply_patch', {
      patch: [
        '*** Begin Patch',
        '*** Update File: src/sum.js',
        '@@ export function sum(a, b) {',
        '-  return a - b;',
        '+  return a + b;',
        '*** Add File: docs/new.md',
        '+# New',
        '*** Delete File: old.txt',
        '*** Update File: move.sh',
        '*** Move to: bin/moved.sh',
        ' a',
        '-b',
        '+B',
        '*** End Patch',
      ].join('\n'),
    });
    expect(on('src/sum.js')).toContain('a + b');
    expect(on('docs/new.md')).toBe('# New\n');
    expect(on('bin/moved.sh')).toBe('a\r\nB\r\n');
    expect(statSync(join(place.workspace, 'bin/moved.sh')).mode & 0o777).toBe(0o755);
    expect(existsSync(join(place.workspace, 'move.sh')) || existsSync(join(place.workspace, 'old.txt'))).toBe(false);
    expect(output.changes?.map((change) => `${change.kind} ${change.path}`).sort()).toEqual([
      'created bin/moved.sh',
      'created docs/new.md',
      'deleted move.sh',
      'deleted old.txt',
      'modified src/sum.js',
    ]);
    expect(output.intent.access).toHaveLength(5);
  });

  test('one hunk that does not fit: no file is changed', async () => {
    const before = readdirSync(place.workspace, { recursive: true }).length;
    const patch =
      '*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: src/sum.js\n-  return a * b;\n+  return 1;\n*** End Patch';
    expect(await failure('apply_patch', { patch })).toMatch(/src\/sum\.js [^]*\n2\t {2}return a - b;/);
    expect(readdirSync(place.workspace, { recursive: true })).toHaveLength(before);
  });

  test('a unified diff', async () => {
    await call('apply_patch', {
      patch:
        '--- a/src/sum.js\n+++ b/src/sum.js\n@@ -1,3 +1,3 @@\n export function sum(a, b) {\n-  return a - b;\n+  return a + b;\n }\n',
    });
    expect(on('src/sum.js')).toContain('a + b');
  });

  test('refuses to add what exists and to leave the workspace', async () => {
    expect(
      await failure('apply_patch', { patch: '*** Begin Patch\n*** Add File: README.md\n+x\n*** End Patch' }),
    ).toMatch(/^tool\.failed: README\.md /);
    expect(await failure('apply_patch', { patch: '*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch' })).toContain(
      'workspace.outside',
    );
  });
});

describe('list_files and search_files', () => {
  beforeEach(() => {
    put('.gitignore', 'dist/\n*.log\n');
    put('.klausignore', 'private/\n');
    for (const path of ['dist/out.js', 'x.log', 'private/notes.txt', '.github/ci.yml', 'src/deep/er/a.ts', 'ünï.txt'])
      put(path, 'needle\n');
    symlinkSync('/etc', join(place.workspace, 'etc'));
  });

  test('lists what is not ignored, hidden files too', async () => {
    expect((await call('list_files', {})).text.split('\n')).toEqual([
      '.github/ci.yml',
      '.gitignore',
      '.klausignore',
      'README.md',
      'src/deep/er/a.ts',
      'src/sum.js',
      'ünï.txt',
    ]);
    expect((await call('list_files', { glob: '*.log' })).text).toMatch(/^[^\n]* \*\.log\b[^\n]*$/);
    expect((await call('list_files', { glob: '*.{js,ts}' })).text).toBe('src/deep/er/a.ts\nsrc/sum.js');
    expect((await call('list_files', { path: 'src', depth: 1 })).text).toMatch(/^src\/deep\/ \(1 .+\)\nsrc\/sum\.js$/);
    expect(await failure('list_files', { path: 'etc' })).toContain('workspace.outside');
    expect(await failure('list_files', { path: 'README.md' })).toMatch(/^tool\.failed: README\.md /);
  });

  test('finds lines, with context, and keeps to the limit', async () => {
    const found = await call('search_files', { pattern: 'needle' });
    expect(found.detail).toMatchObject({ matches: 3, files: 3, more: false });
    const [counts, ...blocks] = found.text.split('\n\n');
    expect(counts).toMatch(/^3 .* 3 /);
    expect(blocks).toEqual(['.github/ci.yml\n1: needle', 'src/deep/er/a.ts\n1: needle', 'ünï.txt\n1: needle']);
    expect(
      (await call('search_files', { pattern: 'NEEDLE', glob: '*.ts', caseSensitive: false })).detail,
    ).toMatchObject({ matches: 1 });
    expect((await call('search_files', { pattern: 'NEEDLE' })).detail).toEqual({ matches: 0, files: 0 });
    expect((await call('search_files', { pattern: 'return', path: 'src', context: 1 })).text).toMatch(
      /^1 .* 1 .*\n\nsrc\/sum\.js\n1- export function sum\(a, b\) \{\n2: {3}return a - b;\n3- \}$/,
    );
    expect((await call('search_files', { pattern: 'sum(a', literal: true })).detail).toMatchObject({ matches: 1 });
    expect(await failure('search_files', { pattern: 'sum(a' })).toContain('tool.failed: ');
    put('many.txt', 'needle\n'.repeat(50));
    expect(await call('search_files', { pattern: 'needle', path: 'many.txt' })).toMatchObject({
      text: expect.stringMatching(/^5 .*\n\nmany\.txt\n[^]*\n\n\[.*\b5\b.*\]$/),
      detail: { matches: 5, files: 1, more: true },
    });
  });

  test('named pipes and endless lines stop no search', async () => {
    execFileSync('mkfifo', [join(place.workspace, 'pipe')]);
    expect(await failure('search_files', { pattern: 'x', path: 'pipe' })).toMatch(/^tool\.failed: pipe /);
    put('one-line.txt', `needle ${'x'.repeat(17 * 1024 * 1024)}`);
    expect((await call('search_files', { pattern: 'needle x' })).text).toMatch(/\none-line\.txt\n1:1: needle x+…$/);
    const { workspace, sandbox } = context;
    const short = createToolContext({ workspace, sandbox, timeoutMs: 200 });
    execFileSync('mkfifo', [join(place.workspace, 'src/.ignore')]);
    await expect(callTool(builtinTools, 'list_files', { input: {}, context: short })).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });

  test('a pattern or path that looks like an option is none', async () => {
    put('-v', 'x --files y\n');
    expect((await call('search_files', { pattern: '--files' })).text).toContain('-v\n1: x --files y');
    expect((await call('search_files', { pattern: 'files', path: '-v' })).detail).toMatchObject({ matches: 1 });
  });
});

test('bad input is an error, and nothing is touched', async () => {
  const before = readdirSync(place.workspace, { recursive: true }).map(String).sort();
  const huge = 'x'.repeat(10 * 1024 * 1024);
  for (const bad of ['a\0b', '\ud800', huge]) {
    for (const name of ['read_file', 'delete_file', 'list_files'])
      expect(await failure(name, { path: bad })).toContain('tool.failed');
    expect(await failure('write_file', { path: bad, content: 'x' })).toContain('tool.failed');
    expect(await failure('write_file', { path: 'ok.txt', content: bad })).toContain('tool.failed');
    expect(await failure('edit_file', { path: 'README.md', edits: [{ old: '# Test', new: bad }] })).toContain(
      'tool.failed',
    );
    expect(await failure('edit_file', { path: 'README.md', edits: [{ old: bad, new: 'x' }] })).toContain('tool.failed');
    expect(
      await failure('apply_patch', { patch: `*** Begin Patch\n*** Add File: ok.txt\n+${bad}\n*** End Patch` }),
    ).toContain('tool.failed');
    expect(await failure('search_files', { pattern: bad })).toContain('tool.failed');
    expect(await failure('run_command', { command: bad })).toContain('tool.failed');
    expect(await failure('run_tests', { pattern: bad })).toContain('tool.failed');
    expect(await failure('git_diff', { ref: bad })).toContain('tool.failed');
  }
  expect(await failure('git_diff', { ref: '--output=/tmp/x' })).toMatch(/^tool\.failed: .*--output=/);
  expect(readdirSync(place.workspace, { recursive: true }).map(String).sort()).toEqual(before);
});
