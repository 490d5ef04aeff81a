// Covers adapters/tools/files, adapters/tools/search: names and lines that are unusual.
//
// Dimensions of a name: brackets, braces and stars as in the folders of web frameworks, spaces, quotes, a leading dash,
// control characters, letters with marks composed and decomposed, other scripts, emoji, long names × the depth of its
// folder. Each name is written, listed, found by itself as a glob and by a search, read, edited and deleted.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { toSpecialPath } from '../fixtures/special-names.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, noSandbox, type TestContext } from '../fixtures/tool-context.ts';

const SAMPLE = 25;
const ALL = 500;

let place: TestHome;
let context: TestContext;
beforeEach(async () => {
  place = createTestHome();
  context = createToolContext({ workspace: await createWorkspace(place.workspace), sandbox: noSandbox });
});
afterEach(() => place[Symbol.dispose]());

const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
const on = (path: string) => readFileSync(join(place.workspace, path), 'utf8');
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const escape = (path: string) => path.replaceAll(/[\\*?[{]/g, '\\$&').replace(/^!/, '\\!');

async function use(path: string): Promise<void> {
  await call('write_file', { path, content: 'let one = 1;\n' });
  expect(on(path)).toBe('let one = 1;\n');
  expect((await call('read_file', { path })).text).toBe('let one = 1;\n');
  // Lists have one name a line.
  if (!/[\n\r]/.test(path)) {
    for (const glob of [`/${escape(path)}`, `/${path.replaceAll('\\', '\\\\')}`]) {
      // Stars, braces and a leading exclamation mark keep their meaning without an escape.
      if (glob === `/${escape(path)}` || !/[{}]/.test(path))
        expect((await call('list_files', { glob })).text.split('\n')).toContain(path);
    }
    expect((await call('search_files', { pattern: 'one = 1', glob: `/${escape(path)}` })).text).toContain(
      `${path}\n1: `,
    );
  }
  await call('edit_file', { path, edits: [{ old: '1', new: '2' }] });
  expect(on(path)).toBe('let one = 2;\n');
  await call('delete_file', { path });
  expect(existsSync(join(place.workspace, path))).toBe(false);
  rmSync(join(place.workspace, path.split('/')[0]!), { recursive: true, force: true });
}

async function useAll(from: number, to: number): Promise<string[]> {
  const failures: string[] = [];
  for (let index = from; index < to; index++) {
    const path = toSpecialPath(index);
    if (path === undefined) continue;
    await use(path).catch((error: unknown) =>
      failures.push(`${index} ${JSON.stringify(path)}: ${String(error).slice(0, 400)}`),
    );
  }
  return failures;
}

test(`names are used as they are (${SAMPLE})`, { timeout: 120_000 }, async () => {
  expect(await useAll(0, SAMPLE)).toEqual([]);
});
test(`names are used as they are (${ALL})`, { tags: ['long'], timeout: 600_000 }, async () => {
  expect(await useAll(SAMPLE, ALL)).toEqual([]);
});

test('a glob matches folders with brackets as written, and a miss says how to escape', async () => {
  put('app/[id]/page.tsx', '');
  put('app/i/page.tsx', '');
  const list = async (glob: string) => (await call('list_files', { glob })).text;
  expect((await list('app/[id]/*.tsx')).split('\n').toSorted()).toEqual(['app/[id]/page.tsx', 'app/i/page.tsx']);
  expect(await list('app/\\[id\\]/*.tsx')).toBe('app/[id]/page.tsx');
  expect(await list('app/[xy]/*.ts')).toContain('\\[');
});

test('a name is found in its other form, and a wrong one is named', async () => {
  put('doc/cafe\u0301.txt', 'x\n');
  expect((await call('read_file', { path: 'doc/caf\u00e9.txt' })).text).toBe('x\n');
  const edit = { path: 'doc/caf\u00e9.txt', edits: [{ old: 'x', new: 'y' }] };
  await expect(call('edit_file', edit)).rejects.toMatchObject({ hint: expect.stringContaining('cafe\u0301') });
  put('src/settings.ts', '');
  await expect(call('read_file', { path: 'src/setings.ts' })).rejects.toMatchObject({
    message: expect.stringContaining('src/settings.ts'),
  });
});

test('a name that is not UTF-8 is shown in one way', async () => {
  const bytes = Buffer.concat([Buffer.from(`${place.workspace}/bad`), Buffer.from([0xff, 0xfe]), Buffer.from('.txt')]);
  writeFileSync(bytes, 'needle\n');
  expect((await call('list_files', {})).text).toContain('bad\\xff\\xfe.txt');
  expect((await call('search_files', { pattern: 'needle' })).text).toContain('bad\\xff\\xfe.txt\n1: needle');
});

describe('a file of 6 MB in one line', () => {
  const LENGTH = 6_000_000;
  beforeEach(() => put('min.js', `${'a'.repeat(LENGTH - 20)};needle=1;${'b'.repeat(10)}`));

  test('is found, read and edited', async () => {
    const found = (await call('search_files', { pattern: 'needle=' })).text;
    const [, column] = /\n1:(\d+): …a+;needle=1;/.exec(found)!;
    expect(Number(column)).toBe(LENGTH - 18);
    const part = await call('read_file', { path: 'min.js', start: 1, column: Number(column) });
    expect(part.text).toBe('1\tneedle=1;bbbbbbbbbb');
    const head = (await call('read_file', { path: 'min.js' })).text;
    expect(head).toMatch(/^a{2000}…\n\[.*column.*\]$/);
    const range = (await call('read_file', { path: 'min.js', start: 1, end: 1 })).text;
    expect(range.length).toBeLessThan(21_000);
    expect(range).toMatch(/column 20001\]$/);
    const edited = await call('edit_file', { path: 'min.js', edits: [{ old: 'needle=1', new: 'needle=2' }] });
    expect(on('min.js').endsWith(`;needle=2;${'b'.repeat(10)}`)).toBe(true);
    expect(edited.intent.diff!.length).toBeLessThan(5_000);
    expect(edited.intent.diff).toContain('+[');
  });
});

test.each(['\n', '\r\n'])('columns continue each other over a line, with %j', async (eol) => {
  const line = Array.from({ length: 9_000 }, (_, at) => `${at},`).join('');
  put('a.csv', `first${eol}${line}${eol}last${eol}`);
  let all = '';
  for (let column = 1; column <= line.length;) {
    const { text } = await call('read_file', { path: 'a.csv', start: 2, column });
    const part = /^2\t([^…]*)/.exec(text)![1]!;
    all += part;
    column += part.length;
  }
  expect(all).toBe(line);
});
