// Covers adapters/tools/build: tsc, eslint, prettier and npm scripts as tools.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { installPackage } from '../fixtures/installed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { callTool, createToolContext, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;

beforeEach(async () => {
  place = createTestHome({ 'README.md': '# Test\n' });
  context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: await createSandbox({ workspace: place.workspace, home: place.home, env: place.env }),
  });
});
afterEach(() => place[Symbol.dispose]());

const call = (name: string, input: unknown = {}) => callTool(builtinTools, name, { input, context });
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const on = (path: string) => readFileSync(join(place.workspace, path), 'utf8');
const prepare = (name: string, input: unknown = {}) =>
  builtinTools.find((tool) => tool.name === name)!.prepare!(input, context);

describe('npm_run', () => {
  test('runs a script with its arguments as they are', async () => {
    put('show.cjs', 'console.log(JSON.stringify(process.argv.slice(2)));\n');
    put('package.json', JSON.stringify({ scripts: { show: 'node show.cjs', bad: 'exit 4' } }));
    const output = await call('npm_run', { script: 'show', args: ["it's", '--flag', '$HOME', ''] });
    expect(output).toMatchObject({
      isError: false,
      intent: { command: "npm run show -- 'it'\\''s' --flag '$HOME' ''" },
    });
    expect(output.text).toContain(JSON.stringify(["it's", '--flag', '$HOME', '']));
    expect(await call('npm_run', { script: 'bad' })).toMatchObject({
      isError: true,
      detail: { exitCode: 4 },
      text: expect.stringMatching(/^\[.*\b4\]$/m),
    });
  });

  test('a wrong name gets the scripts that there are', async () => {
    await expect(call('npm_run', { script: 'x' })).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('package.json'),
    });
    put('package.json', JSON.stringify({ scripts: { build: 'tsc', '--x': 'true' } }));
    for (const script of ['biuld', '--x', 'a\0b']) {
      await expect(call('npm_run', { script })).rejects.toMatchObject({ code: 'tool.failed' });
    }
    await expect(call('npm_run', { script: 'biuld' })).rejects.toMatchObject({
      hint: expect.stringContaining('build, --x'),
    });
  });

  test.each([
    ['pnpm-lock.yaml', 'pnpm run build --watch'],
    ['yarn.lock', 'yarn run build --watch'],
    ['bun.lock', 'bun run build --watch'],
    ['package-lock.json', 'npm run build -- --watch'],
  ])('%s means %s', async (lock, command) => {
    put('package.json', JSON.stringify({ scripts: { build: 'x' } }));
    put(lock, '');
    expect((await prepare('npm_run', { script: 'build', args: ['--watch'] })).command!.replaceAll("'", '')).toBe(
      command,
    );
  });

  test('a script whose program is missing says what brings it', { tags: ['long'] }, async () => {
    put('package.json', JSON.stringify({ scripts: { build: 'no-such-program-anywhere' } }));
    const output = await call('npm_run', { script: 'build' });
    expect(output).toMatchObject({ isError: true, text: expect.stringContaining('npm install') });
  });

  const hasPnpm = spawnSync('pnpm', ['--version']).status === 0;
  test.skipIf(hasPnpm)(
    'tests whose package manager is missing say what brings it (needs a machine without pnpm)',
    async () => {
      put('package.json', JSON.stringify({ scripts: { test: 'x' } }));
      put('pnpm-lock.yaml', '');
      expect(await call('run_tests', {})).toMatchObject({
        isError: true,
        detail: { missing: 'pnpm', bring: 'npm install --global pnpm' },
      });
    },
  );
});

describe('tsc_check', () => {
  beforeEach(() => installPackage(place.workspace, 'typescript'));

  test('gives errors with their places, and evidence; writes nothing', { tags: ['long'] }, async () => {
    put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }');
    put('src/a.ts', 'export const a: number = "one";\n');
    put('src/b.ts', "import { a } from './a';\nexport const b: { x: { y: string } } = { x: { y: a } };\n");
    const red = await call('tsc_check');
    expect(red).toMatchObject({ isError: true, evidence: { exitCode: expect.any(Number) } });
    expect(red.text.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^2 .* 2 /),
      "src/a.ts:1:14 TS2322 Type 'string' is not assignable to type 'number'.",
      "src/b.ts:2:47 TS2322 Type 'number' is not assignable to type 'string'.",
    ]);
    expect(red.detail).toMatchObject({
      count: 2,
      diagnostics: [{ path: 'src/a.ts', line: 1, column: 14, code: 'TS2322' }, {}],
    });
    put('src/a.ts', 'export const a = "one";\n');
    const green = await call('tsc_check', { project: 'tsconfig.json' });
    expect(green).toMatchObject({ isError: false, evidence: { exitCode: 0 }, detail: { count: 0 } });
    expect(green.text).toMatch(/\n0 /);
    expect(() => on('src/a.js')).toThrow('ENOENT');
  });

  test('follows project references', { tags: ['long'] }, async () => {
    const options = { strict: true, types: [], composite: true };
    put('tsconfig.json', '{ // all of it\n  "files": [], "references": [{ "path": "./lib" }, { "path": "./app" }] }');
    put('lib/tsconfig.json', JSON.stringify({ compilerOptions: options }));
    put('lib/index.ts', 'export const one: string = 1;\n');
    put('app/tsconfig.json', JSON.stringify({ compilerOptions: options, references: [{ path: '../lib' }] }));
    put('app/main.ts', "import { one } from '../lib/index';\nexport const two: number = one;\n");
    const output = await call('tsc_check');
    expect(output.intent.command).toBe('node_modules/.bin/tsc -b tsconfig.json --noEmit --pretty false');
    expect(output).toMatchObject({ isError: true });
    expect(output.text).toContain('lib/index.ts:1:14 TS2322');
    expect((await prepare('tsc_check', { project: 'lib' })).command).toContain('tsc -p lib/tsconfig.json --noEmit');
  });

  test('says what is missing', { tags: ['long'] }, async () => {
    await expect(call('tsc_check')).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('tsconfig.json'),
    });
    put('tsconfig.json', '{ "files": ["nothing.ts"] }');
    expect((await call('tsc_check')).text).toMatch(/\n1 .*\nTS6053 /);
    rmSync(join(place.workspace, 'node_modules'), { recursive: true });
    expect(await call('tsc_check')).toMatchObject({
      isError: true,
      text: expect.stringContaining('npm install --save-dev typescript'),
      detail: { missing: 'tsc' },
    });
  });
});

describe('eslint_check', () => {
  const CONFIG = "export default [{ rules: { 'no-undef': 'error', 'no-unused-vars': 'warn' } }];\n";

  test('gives a short list, errors first, of the project or of some paths', { tags: ['long'] }, async () => {
    installPackage(place.workspace, 'eslint');
    put('eslint.config.mjs', CONFIG);
    put('src/a.js', 'const unused = 1;\nmissing();\n');
    put('src/b.js', 'export const fine = 1;\n');
    const red = await call('eslint_check');
    expect(red).toMatchObject({ isError: true, detail: { count: 2 }, evidence: { exitCode: 1 } });
    expect(red.text.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^3 .* 1 .* 1 .* 1 /),
      "src/a.js:2:1 no-undef 'missing' is not defined.",
      "src/a.js:1:7 warning no-unused-vars 'unused' is assigned a value but never used.",
    ]);
    expect(context.shown()).not.toContain('filePath');
    const green = await call('eslint_check', { paths: ['src/b.js'] });
    expect(green).toMatchObject({ isError: false, evidence: { exitCode: 0 }, detail: { count: 0 } });
    await expect(call('eslint_check', { paths: ['nowhere.js'] })).rejects.toMatchObject({ code: 'tool.failed' });
    await expect(call('eslint_check', { paths: ['../x.js'] })).rejects.toMatchObject({ code: 'workspace.outside' });
  });

  test('says that there is no configuration, or no ESLint', { tags: ['long'] }, async () => {
    put('a.js', 'x();\n');
    put('yarn.lock', '');
    expect(await call('eslint_check')).toMatchObject({
      isError: true,
      text: expect.stringContaining('yarn add --dev eslint'),
    });
    installPackage(place.workspace, 'eslint');
    const output = await call('eslint_check');
    expect(output).toMatchObject({ isError: true, text: expect.stringMatching(/^\$ .*\n.*\beslint\.config\.js\b/) });
    expect(output.evidence).toBeUndefined();
  });
});

describe('prettier_format', () => {
  test('names what would change, then changes it', { tags: ['long'] }, async () => {
    installPackage(place.workspace, 'prettier');
    put('src/a.js', 'const  a = 1\n');
    put('src/b.js', 'const b = 1;\n');
    put('-c.js', 'let c\n');
    const check = await call('prettier_format', { check: true });
    expect(check).toMatchObject({ isError: true, detail: { files: ['-c.js', 'src/a.js'] }, evidence: { exitCode: 1 } });
    expect(check.text).toMatch(/\n2 .*\n-c\.js\nsrc\/a\.js/);
    expect(on('src/a.js')).toBe('const  a = 1\n');
    const written = await call('prettier_format', { paths: ['src', '-c.js'] });
    expect(written).toMatchObject({ isError: false, detail: { count: 2 } });
    expect([on('src/a.js'), on('-c.js')]).toEqual(['const a = 1;\n', 'let c;\n']);
    expect(await call('prettier_format')).toMatchObject({ isError: false, detail: { count: 0, files: [] } });
    put('src/a.js', 'const = ;\n');
    const broken = await call('prettier_format', { paths: ['src/a.js'] });
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('SyntaxError') });
  });

  test('says what brings it', async () => {
    put('pnpm-lock.yaml', '');
    expect(await call('prettier_format')).toMatchObject({
      isError: true,
      text: expect.stringContaining('pnpm add --save-dev prettier'),
    });
  });
});

describe.each([
  {
    name: 'run_node_script',
    file: 'a b.mjs',
    script: 'console.log(process.argv.slice(2).join("|"), process.cwd());\nprocess.exit(3);\n',
    code: 'console.log("-e".length, process.argv.slice(1).join("|"))',
    long: '-1; setInterval(() => {}, 1_000)',
  },
  {
    name: 'run_python_script',
    file: 'a b.py',
    script: 'import os, sys\nprint("|".join(sys.argv[1:]), os.getcwd())\nsys.exit(3)\n',
    code: 'import sys\nprint(len("-c"), "|".join(sys.argv[1:]))',
    long: '-1\nwhile True: pass',
  },
])('$name', ({ name, file, script, code, long }) => {
  test('runs a file, or code, with arguments', { tags: ['long'] }, async () => {
    put(file, script);
    const args = ['--x', "it's", '$(id)'];
    const output = await call(name, { path: file, args });
    expect(output).toMatchObject({ isError: true, detail: { exitCode: 3 } });
    expect(output.text).toContain(`--x|it's|$(id) ${place.workspace}`);
    expect(output.intent.access).toContainEqual({ kind: 'fs', path: join(place.workspace, file), right: 'r' });
    const inline = await call(name, { code, args });
    expect(inline).toMatchObject({ isError: false });
    expect(inline.text).toContain("2 --x|it's|$(id)");
    // The approver sees the code.
    expect(inline.intent.command).toContain('"|"');
    expect(await call(name, { code: long, timeoutMs: 700 })).toMatchObject({
      isError: true,
      detail: { timedOut: true },
    });
  });

  test('refuses what is neither, both or no file', async () => {
    for (const input of [
      {},
      { path: file, code },
      { path: 'nothing' },
      { path: '.' },
      { code: ' ' },
      { code: 'a\0' },
    ]) {
      await expect(call(name, input)).rejects.toMatchObject({ code: 'tool.failed' });
    }
    await expect(call(name, { path: '../x' })).rejects.toMatchObject({ code: 'workspace.outside' });
    await expect(call(name, { code: 'x'.repeat(200_000) })).rejects.toMatchObject({ code: 'tool.failed' });
  });
});

test('Python of the project is its virtual environment', async () => {
  put('.venv/pyvenv.cfg', 'home = /usr/bin\n');
  put('a.py', '');
  expect((await prepare('run_python_script', { path: 'a.py' })).command).toBe('.venv/bin/python a.py');
});
