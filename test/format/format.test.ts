// Covers adapters/format, core/agent/formatting, adapters/tools/files: the formatters of projects after an edit.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { FORMATTERS } from '../../adapters/format/formatters.ts';
import { createTestEngine, ofType, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';
import { installPackage } from '../fixtures/installed.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { findSandboxObstacle } from '../fixtures/sandbox-obstacle.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const write = (path: string, content: string): ToolCall => ({ name: 'write_file', input: { path, content } });
const edit = (path: string, old: string, text: string): ToolCall => ({
  name: 'edit_file',
  input: { path, edits: [{ old, new: text }] },
});
const format = (...paths: string[]): ToolCall => ({
  name: 'use_tool',
  input: { name: 'format_files', input: { paths } },
});
const script = (...calls: ToolCall[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'Done.' },
});

interface Given extends Pick<TestEngineOptions, 'files' | 'settings' | 'env'> {
  calls: ToolCall[];
}

function open({ calls, files = {}, settings = {}, ...more }: Given): Promise<TestEngine> {
  return createTestEngine({
    script: script(...calls),
    files: { '.gitignore': 'node_modules\n', ...files },
    settings: { 'sandbox.driver': 'bubblewrap', ...settings },
    ...more,
  });
}

/** A program of the project, as npm installs it. */
function addProgram({ place }: TestEngine, name: string, line: string, at = '.'): void {
  const folder = join(place.workspace, at, 'node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

const pathOf = ({ place }: TestEngine, path: string): string => join(place.workspace, path);
const read = (engine: TestEngine, path: string): string => readFileSync(pathOf(engine, path), 'utf8');

async function run({ klaus }: TestEngine, options: Parameters<TestEngine['klaus']['open']>[0] = {}) {
  const session = await klaus.open({ mode: 'auto', checkpoint: 'manual', ...options });
  await session.prompt('go');
  await session.advance();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  const events = await Array.fromAsync(session.events());
  return { session, events, calls: toCalls(events).map(({ finished }) => finished) };
}

const OFFER = 'format_files {"paths":';
const APPLY = { 'edit.formatter': 'apply' } as const;
const UGLY = "const  a = 'x'\n";

sandboxed.each([
  ['oxfmt', { '.oxfmtrc.json': '{"semi":false}' }, 'const a = "x"\n'],
  ['prettier', { '.prettierrc': '{"singleQuote":true}' }, "const a = 'x';\n"],
] as const)('%s is offered, and formats the file as an edit that can be undone', async (name, files, formatted) => {
  const calls = [write('src/a.js', UGLY), format('src/a.js'), edit('src/a.js', 'a =', 'b =')];
  await using engine = await open({ calls, files: { ...files, 'src/a.js': 'old\n' } });
  installPackage(engine.place.workspace, name);
  const { session, calls: results, events } = await run(engine);
  expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  expect(results.map(({ output }) => output.includes(OFFER))).toEqual([true, false, false]);
  expect(read(engine, 'src/a.js')).toBe(formatted.replace('a =', 'b ='));
  expect(results[1]?.changes).toMatchObject([{ path: 'src/a.js', kind: 'modified' }]);
  expect(ofType(events, 'gate.decided').map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'allow']);
  expect(await session.restore({ kind: 'undo' }, { by: 'user' })).toMatchObject({ done: true });
  expect(read(engine, 'src/a.js')).toBe('old\n');
});

sandboxed('a formatter that is applied changes the edited files in the same change, and no other file', async () => {
  const dos = '\uFEFFlet x = 1;\r\nlet  y\r\n';
  const files = { '.prettierrc': '{}', 'other.js': UGLY, 'dos.js': dos };
  await using engine = await open({
    calls: [write('a.js', UGLY), edit('dos.js', 'x = 1', 'x = 2'), write('notes.txt', 'a  b\n')],
    files,
    settings: APPLY,
  });
  installPackage(engine.place.workspace, 'prettier');
  const { session, calls, events } = await run(engine);
  expect(calls.map(({ outcome, changes }) => [outcome, changes.length])).toEqual(calls.map(() => ['ok', 1]));
  expect(read(engine, 'a.js')).toBe('const a = "x";\n');
  expect(read(engine, 'dos.js')).toBe('\uFEFFlet x = 2;\r\nlet y;\r\n');
  expect(read(engine, 'other.js')).toBe(UGLY);
  expect(ofType(events, 'tool.started')[0]?.diff).toContain('+const a = "x";');
  await session.restore({ kind: 'undo' }, { by: 'user' });
  expect(read(engine, 'dos.js')).toBe(dos);
});

const NATIVE: readonly [name: string, files: Record<string, string>, path: string, text: string, formatted: string][] =
  [
    ['gofmt', { 'go.mod': 'module a\n' }, 'a.go', 'package  a\n', 'package a\n'],
    ['rustfmt', { 'Cargo.toml': '[package]\nedition = "2021"\n' }, 'src/a.rs', 'fn  a( ){}\n', 'fn a() {}\n'],
    ['clang-format', { '.clang-format': 'BasedOnStyle: LLVM\n' }, 'a.c', 'int  a ;\n', 'int a;\n'],
    ['ruff', { 'pyproject.toml': '[tool.ruff]\n' }, 'a.py', "a  = 'x'\n", 'a = "x"\n'],
    ['black', { 'pyproject.toml': '[tool.black]\n' }, 'a.py', "a  = 'x'\n", 'a = "x"\n'],
  ];

describe('formats files of other languages', () => {
  for (const [name, files, path, text, formatted] of NATIVE) {
    sandboxed(name, async ({ skip }) => {
      const obstacle = await findSandboxObstacle(name, FORMATTERS.find((kind) => kind.name === name)!.probe);
      skip(obstacle !== undefined, obstacle);
      await using engine = await open({ calls: [write(path, text)], files, settings: APPLY });
      const { calls } = await run(engine);
      expect(calls).toMatchObject([{ outcome: 'ok' }]);
      expect(read(engine, path)).toBe(formatted);
    });
  }
});

/** A launcher of a version manager without a version. */
const LAUNCHER = 'echo "error: the launcher could not choose a version" >&2; exit';

for (const mode of ['offer', 'apply'] as const)
  sandboxed(`with ${mode}, a program that cannot run counts as absent, and the first result says why`, async () => {
    await using engine = await open({
      calls: [write('a.js', UGLY), write('b.js', UGLY), format('a.js'), write('c/a.js', UGLY), write('c/b.js', UGLY)],
      files: { '.prettierrc': '{}' },
      settings: { 'edit.formatter': mode },
    });
    addProgram(engine, 'prettier', `${LAUNCHER} 1`);
    addProgram(engine, 'prettier', `${LAUNCHER} 127`, 'c');
    const { calls } = await run(engine);
    const reason = 'prettier cannot run here: error: the launcher could not choose a version';
    expect(calls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'error', 'ok', 'ok']);
    for (const [at, path] of [
      [0, 'a.js'],
      [3, 'c/a.js'],
    ] as const)
      expect(calls[at]!.output.split('\n')).toContain(`${path} was not formatted (format.failed): ${reason}`);
    for (const at of [1, 4]) expect(calls[at]!.output).not.toMatch(/prettier|format/);
    expect(calls[2]!.output).toContain('or it is not installed or cannot run');
    expect(read(engine, 'a.js')).toBe(UGLY);
  });

sandboxed('a launcher on the path that cannot run counts as absent', async () => {
  using bin = createTestHome();
  writeFileSync(join(bin.workspace, 'black'), `#!/bin/sh\n${LAUNCHER} 1\n`, { mode: 0o755 });
  await using engine = await open({
    calls: [write('a.py', 'a  = 1\n'), write('b.py', 'b  = 1\n')],
    files: { 'pyproject.toml': '[tool.black]\n' },
    env: ({ env }) => ({ PATH: `${bin.workspace}:${env['PATH']}` }),
  });
  const { calls } = await run(engine);
  expect(calls.map(({ output }) => output.includes('black cannot run here: error: the launcher'))).toEqual([
    true,
    false,
  ]);
});

sandboxed('a program that runs and refuses the text is started again, and formats nothing', async () => {
  const line = '[ "$1" = --version ] && exit; cat >/dev/null; echo "SyntaxError: a.js" >&2; exit 2';
  await using engine = await open({
    calls: [write('a.js', UGLY), write('b.js', UGLY)],
    files: { '.prettierrc': '{}' },
    settings: APPLY,
  });
  addProgram(engine, 'prettier', line);
  const { calls } = await run(engine);
  for (const { outcome, output } of calls) {
    expect(outcome).toBe('ok');
    expect(output).toContain('(format.failed): prettier ended with exit code 2: SyntaxError: a.js');
    expect(output).not.toContain('Formatted with');
  }
  expect([read(engine, 'a.js'), read(engine, 'b.js')]).toEqual([UGLY, UGLY]);
});

const HOSTILE = {
  crash: 'echo changed; exit 3',
  signal: 'echo changed; kill -9 $$',
  hang: 'echo changed; sleep 600',
  nothing: 'cat >/dev/null',
  flood: 'yes changed',
  garbage: 'printf "\\377\\376\\000"',
  'other files': 'echo changed > p6/other.js || exit 1; cat',
};

for (const { cases, tags } of splitCases(['offer', 'apply'], 1))
  sandboxed.each(cases)('with %s, a hostile formatter is reported and changes nothing', { tags }, async (mode) => {
    const names = Object.keys(HOSTILE);
    await using engine = await open({
      calls: names.map((_, at) => write(`p${at}/a.js`, UGLY)),
      files: { '.prettierrc': '{}', ...Object.fromEntries(names.map((_, at) => [`p${at}/other.js`, 'other\n'])) },
      settings: { 'edit.formatter': mode, 'edit.formatterTimeoutMs': 1_500 },
    });
    for (const [at, line] of Object.values(HOSTILE).entries()) addProgram(engine, 'prettier', line, `p${at}`);
    const { calls } = await run(engine);
    expect(Object.fromEntries(calls.map(({ output }, at) => [names[at], output.includes('(format.failed)')]))).toEqual(
      Object.fromEntries(names.map((name) => [name, true])),
    );
    for (const [at, { outcome, output }] of calls.entries()) {
      expect([outcome, output.includes(OFFER)]).toEqual(['ok', false]);
      expect([read(engine, `p${at}/a.js`), read(engine, `p${at}/other.js`)]).toEqual([UGLY, 'other\n']);
    }
  });

sandboxed('format_files reports a failure by its code, and refuses files that the session has not edited', async () => {
  await using engine = await open({
    calls: [write('a.js', UGLY), format('a.js'), format('other.js'), write('b.txt', 'x'), format('b.txt')],
    files: { '.prettierrc': '{}', 'other.js': UGLY },
  });
  addProgram(engine, 'prettier', '[ "$1" = --version ]');
  const { calls } = await run(engine);
  expect(calls.map(({ outcome, detail }) => [outcome, (detail as { code?: string } | undefined)?.code])).toEqual([
    ['ok', undefined],
    ['error', 'format.failed'],
    ['error', undefined],
    ['ok', undefined],
    ['error', undefined],
  ]);
  expect([read(engine, 'a.js'), read(engine, 'other.js')]).toEqual([UGLY, UGLY]);
});

describe('no formatter is started', () => {
  const files = { '.prettierrc': '{}' };
  const off: readonly [string, Partial<Given>, Parameters<typeof run>[1]?][] = [
    ['where the user has set none', { files, settings: { 'edit.formatter': 'off' } }],
    ['where the project configures none', {}],
    ['without a sandbox', { files, settings: { 'sandbox.driver': 'host' } }],
    ['in a session that may run no commands', { files }, { grant: 'fs(., rw) tool(write_file)' }],
  ];
  for (const { cases, tags } of splitCases(off, 2))
    sandboxed.each(cases)('%s', { tags }, async (_, given, options) => {
      await using engine = await open({ calls: [write('a.js', UGLY)], ...given });
      addProgram(engine, 'prettier', 'echo changed');
      const { calls } = await run(engine, options);
      expect(calls).toMatchObject([{ outcome: 'ok' }]);
      expect(calls[0]?.output).not.toMatch(/prettier|format/);
    });
});
