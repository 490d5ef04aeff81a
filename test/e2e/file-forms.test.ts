// Covers adapters/tools/files, adapters/tools/search, core/policy/text-encoding.ts: the form of files in every tool that
// changes them.
//
// Dimensions of a case: the encoding (eight, known by a mark, by .editorconfig, by .gitattributes or by the setting, or
// found by the detector) × the line ends (LF, CRLF, CR, mixed) × with or without a line break at the end × the mode × the
// tool (edit_file, apply_patch, write_file, a move).
//
// Each case compares bytes: outside of the edit they are the same, and the new text is in the encoding of the file.
// The complete number is a long test.
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { encodeContent, type TextEncoding } from '@klaus/core/policy';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, noSandbox } from '../fixtures/tool-context.ts';
import { createChance, type Chance } from '../undo/chance.ts';

const SAMPLE = 32;
const ALL = 1_000;

/** Texts of each encoding that are long enough for the detector, and a word to insert. */
const TEXTS: readonly { encoding: TextEncoding; label: string; lines: readonly string[]; word: string }[] = [
  { encoding: 'utf-8', label: 'utf-8', lines: ['Größe → 漢字', 'второй', '😀 three'], word: 'neu → 新' },
  { encoding: 'utf-16le', label: 'utf-16le', lines: ['Größe → 漢字', 'второй', '😀 three'], word: 'neu → 新' },
  { encoding: 'windows-1252', label: 'latin1', lines: ['Größe der Fläche', 'déjà vérifié', 'mañana'], word: 'façade' },
  {
    encoding: 'gbk',
    label: 'gbk',
    lines: ['这是一个函数,返回两个数的和', '修复错误:当输入为空时返回默认值', '用户登录失败时显示提示信息'],
    word: '新的注释',
  },
  {
    encoding: 'shift_jis',
    label: 'sjis',
    lines: ['これは二つの数の和を返す関数です', 'エラーが発生しました', '日本語のコメントを追加する'],
    word: '新しい能力',
  },
  {
    encoding: 'big5',
    label: 'big5',
    lines: ['這是一個函數,返回兩個數的和', '使用者登入失敗時顯示提示訊息', '修復錯誤的設定檔案內容'],
    word: '新的註解功能',
  },
  {
    encoding: 'euc-kr',
    label: 'euc-kr',
    lines: ['두 수의 합을 반환하는 함수입니다', '오류가 발생했습니다', '한국어 주석을 추가한다'],
    word: '새로운 주석',
  },
  {
    encoding: 'koi8-r',
    label: 'koi8-r',
    lines: ['Эта функция возвращает сумму', 'Ошибка: файл не найден', 'Комментарий на русском языке'],
    word: 'новый текст',
  },
];
const DETECTED = new Set(['gbk', 'shift_jis', 'big5', 'euc-kr', 'koi8-r']);
const ENDS = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n'] } as const;
const TOOLS = ['edit_file', 'apply_patch', 'write_file', 'move'] as const;

interface Form {
  name: string;
  text: (typeof TEXTS)[number];
  ends: keyof typeof ENDS;
  isClosed: boolean;
  isMarked: boolean;
  /** How the encoding is known. */
  known: 'detector' | 'editorconfig' | 'gitattributes' | 'setting';
  tool: (typeof TOOLS)[number];
  mode: number;
  chance: Chance;
}

function toForm(index: number): Form {
  const chance = createChance(index + 1);
  const text = TEXTS[index % TEXTS.length]!;
  const tool = TOOLS[Math.floor(index / TEXTS.length) % TOOLS.length]!;
  const isUnicode = text.encoding.startsWith('utf');
  const canDetect = isUnicode || DETECTED.has(text.encoding);
  const known = chance.pick(
    isUnicode
      ? (['detector'] as const)
      : ([...(canDetect ? (['detector'] as const) : []), 'editorconfig', 'gitattributes', 'setting'] as const),
  );
  const isMarked = text.encoding === 'utf-16le' || (text.encoding === 'utf-8' && chance.number(2) === 0);
  const ends = chance.pick(Object.keys(ENDS) as (keyof typeof ENDS)[]);
  const form = {
    text,
    ends,
    isClosed: chance.number(3) > 0,
    isMarked,
    known,
    tool,
    mode: chance.pick([0o644, 0o755, 0o600]),
  };
  return { ...form, chance, name: `${index}: ${tool}, ${text.encoding} by ${known}, ${ends}` };
}

/** Lines with their ends. The second one is the one that is changed. */
function toLines({ text, ends, isClosed, chance }: Form): { line: string; end: string }[] {
  const all = ['int a = 1;', 'target = 1;', ...Array.from({ length: 6 }, (_, at) => `// ${text.lines[at % 3]}`), 'end'];
  return all.map((line, at) => ({
    line,
    end: at === all.length - 1 && !isClosed ? '' : at === 1 ? ENDS[ends][0] : chance.pick(ENDS[ends]),
  }));
}

let place: TestHome;
beforeAll(() => void (place = createTestHome()));
afterAll(() => place[Symbol.dispose]());

function encode(text: string, { text: { encoding }, isMarked }: Form): Buffer {
  const encoded = encodeContent(isMarked ? `\uFEFF${text}` : text, encoding);
  if (!('content' in encoded)) throw new Error(encoded.missing);
  return Buffer.from(encoded.content);
}

async function run(form: Form): Promise<void> {
  const { text, tool, mode, known } = form;
  const root = mkdtempSync(join(place.workspace, 'case-'));
  if (known === 'editorconfig')
    writeFileSync(join(root, '.editorconfig'), `root = true\n[*.txt]\ncharset = ${text.label}\n`);
  if (known === 'gitattributes')
    writeFileSync(join(root, '.gitattributes'), `*.txt text working-tree-encoding=${text.label}\n`);
  const context = createToolContext({
    workspace: await createWorkspace(root),
    sandbox: noSandbox,
    encodings: known === 'setting' ? [`**/*.txt=${text.label}`] : [],
  });
  const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
  const lines = toLines(form);
  const join_ = (all: readonly { line: string; end: string }[]) => all.map(({ line, end }) => line + end).join('');
  const path = join(root, 'a.txt');
  writeFileSync(path, encode(join_(lines), form), { mode });
  chmodSync(path, mode);
  const shown = (await call('read_file', { path: 'a.txt' })).text;
  for (const line of text.lines) expect(shown).toContain(line);
  const found = await call('search_files', { pattern: text.lines[0]!, literal: true });
  expect(found.detail).toMatchObject({ files: 1 });
  const next = lines.map((each, at) => (at === 1 ? { ...each, line: `target = 2; // ${text.word}` } : each));
  const fresh = next[1]!.line;
  const patch = (more: string) =>
    `*** Begin Patch\n*** Update File: a.txt\n${more}@@\n-target = 1;\n+${fresh}\n*** End Patch`;
  if (tool === 'edit_file') await call('edit_file', { path: 'a.txt', edits: [{ old: 'target = 1;', new: fresh }] });
  if (tool === 'apply_patch') await call('apply_patch', { patch: patch('') });
  if (tool === 'move') await call('apply_patch', { patch: patch('*** Move to: b.txt\n') });
  if (tool === 'write_file')
    await call('write_file', { path: 'a.txt', content: `${next.map(({ line }) => line).join('\n')}\n` });
  const end = join(root, tool === 'move' ? 'b.txt' : 'a.txt');
  // A patch cannot name the end of a line in a file with several kinds.
  const expected =
    (tool === 'apply_patch' || tool === 'move') && form.ends === 'mixed'
      ? next.map((each, at) => (at === 1 ? { ...each, end: '\n' } : each))
      : next;
  expect(readFileSync(end).toString('hex')).toBe(encode(join_(expected), form).toString('hex'));
  expect(statSync(end).mode & 0o777).toBe(mode);
}

async function runAll(from: number, to: number): Promise<string[]> {
  const failures: string[] = [];
  for (let index = from; index < to; index++) {
    const form = toForm(index);
    await run(form).catch((error: unknown) => failures.push(`${form.name}: ${String(error).slice(0, 600)}`));
  }
  return failures;
}

test(`every tool keeps the form of a file (${SAMPLE})`, { timeout: 120_000 }, async () => {
  expect(await runAll(0, SAMPLE)).toEqual([]);
});
test(`every tool keeps the form of a file (${ALL})`, { tags: ['long'], timeout: 900_000 }, async () => {
  expect(await runAll(SAMPLE, ALL)).toEqual([]);
});
