// Covers adapters/tools/shell, adapters/tools/script: run_command and scripts as tools.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { toRequestedLimits } from '../../adapters/tools/shell/run-program.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
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

const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};

describe('run_command', () => {
  test('runs in the workspace, streams output and reports the exit code', async () => {
    const output = await call('run_command', { command: 'echo out; echo err >&2; pwd; echo new > made.txt; exit 3' });
    expect(output.isError).toBe(true);
    expect(output.text).toContain('out\n');
    expect(output.text).toContain('err\n');
    expect(output.text).toContain(`${place.workspace}\n`);
    expect(output.text).toMatch(/^\[.*\b3\]$/m);
    expect(context.shown()).toContain('out\n');
    expect(readFileSync(join(place.workspace, 'made.txt'), 'utf8')).toBe('new\n');
    expect(output.intent).toMatchObject({ access: [{ kind: 'exec' }], command: expect.stringContaining('echo out') });
    expect((await call('run_command', { command: 'true' })).isError).toBe(false);
  });

  test('works in a folder of the workspace, and nowhere else', async () => {
    put('sub/x.txt', '');
    expect((await call('run_command', { command: 'pwd', cwd: 'sub' })).text).toContain(join(place.workspace, 'sub'));
    await expect(call('run_command', { command: 'pwd', cwd: '..' })).rejects.toMatchObject({
      code: 'workspace.outside',
    });
    await expect(call('run_command', { command: 'pwd', cwd: 'README.md' })).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });

  test('network is asked for as authority over any host', async () => {
    const tool = builtinTools.find(({ name }) => name === 'run_command')!;
    const intent = await tool.prepare!({ command: 'true', network: true }, context);
    expect(intent.access).toContainEqual({ kind: 'net', host: '*', port: 0 });
  });

  test('a time-out ends all processes and is reported', { tags: ['long'] }, async () => {
    const output = await call('run_command', { command: 'sleep 1000 & sleep 1000', timeoutMs: 500 });
    expect(output).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^\[.*\b0\.5 s\b.*\]$/m),
      detail: { timedOut: true },
    });
  });

  test('a word that the kernel would not take is refused before it starts', async () => {
    await expect(call('run_command', { command: `: ${'界'.repeat(60_000)}` })).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });

  test('limits beyond what timers and the kernel hold are the highest that they do', { tags: ['long'] }, async () => {
    const output = await call('run_command', { command: 'echo done', timeoutMs: 1e12, memoryMb: 1e300 });
    expect(output).toMatchObject({ isError: false, detail: { timedOut: false, exitCode: 0 } });
    expect(output.text).not.toContain('Illegal number');
  });

  test.each([
    [
      { timeoutMs: 600_000, memoryMb: 64 },
      { timeoutMs: 600_000, memoryMb: 64 },
    ],
    [
      { timeoutMs: 600_001, memoryMb: 2_048 },
      { timeoutMs: 600_000, memoryMb: 1_024 },
    ],
    [{}, { timeoutMs: 120_000, memoryMb: 1_024 }],
  ])('a call may ask for ten minutes and for less memory: %j', (asked, expected) => {
    expect(toRequestedLimits(asked, { timeoutMs: 120_000, memoryMb: 1_024 })).toEqual(expected);
  });

  test('a call may ask for as long as the user allows', () => {
    const limits = { timeoutMs: 900_000, memoryMb: 1_024 };
    expect(toRequestedLimits({ timeoutMs: 800_000 }, limits).timeoutMs).toBe(800_000);
    expect(toRequestedLimits({ timeoutMs: 1e12 }, limits).timeoutMs).toBe(900_000);
  });

  test('long output: head and tail for the model, all of it in a blob', { tags: ['long'] }, async () => {
    const output = await call('run_command', {
      command: 'i=0; while [ $i -lt 40000 ]; do echo "line $i é"; i=$((i+1)); done',
    });
    expect(output.text.length).toBeLessThan(70_000);
    expect(output.text).toContain('line 0 é\n');
    expect(output.text).toContain('line 39999 é\n');
    expect(output.text).toMatch(/\n\[… \d+ .*\]\n/);
    const complete = context.blobs.get(output.blob!.hash)!.toString();
    expect(complete.split('\n')).toHaveLength(40_001);
    expect(complete).toContain('line 20000 é\n');
    expect(context.shown()).toBe(complete);
  });
});

const RED =
  "import test from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => assert.equal(1 + 1, 2));\ntest('subtracts', () => assert.equal(1 - 1, 5));\n";

describe('run_tests', () => {
  test('the npm script, red and then green, is evidence', { tags: ['long'] }, async () => {
    put('package.json', '{"type":"module","scripts":{"test":"node --test"}}');
    put('math.test.js', RED);
    const red = await call('run_tests', {});
    expect(red).toMatchObject({
      isError: true,
      evidence: { command: 'npm test', exitCode: 1 },
      detail: { passed: 1, failed: 1 },
    });
    expect(red.text).toMatch(/^\$ npm test\n.*\b1\b.*\b1\b.*\nFAILED subtracts\n/);
    put('math.test.js', RED.replace('5)', '0)'));
    const green = await call('run_tests', {});
    expect(green).toMatchObject({
      isError: false,
      evidence: { command: 'npm test', exitCode: 0 },
      detail: { passed: 2, failed: 0, failures: [] },
    });
  });

  test('a run without a test is no success and no evidence', { tags: ['long'] }, async () => {
    put('package.json', '{"type":"module","scripts":{"test":"node --test"}}');
    const none = await call('run_tests', {});
    expect(none).toMatchObject({ isError: true, detail: { exitCode: 0, passed: 0, failed: 0 } });
    expect(none.evidence).toBeUndefined();
    expect(none.text).toMatch(/^\$ npm test\n.*\b0\b.*\b0\b/);
  });

  test('one file, and tests by name', { tags: ['long'] }, async () => {
    put('package.json', '{"type":"module"}');
    put('a b/math.test.js', RED);
    put('other.test.js', RED);
    expect(await call('run_tests', { path: 'a b/math.test.js', pattern: 'adds' })).toMatchObject({
      isError: false,
      evidence: { command: "node --test --test-name-pattern=adds 'a b/math.test.js'" },
      detail: { passed: 1, failed: 0 },
    });
    await expect(call('run_tests', { path: 'nothing.test.js' })).rejects.toMatchObject({ code: 'tool.failed' });
  });

  test.each([
    ['{"scripts":{"test":"vitest"}}', 'pnpm-lock.yaml', 'pnpm test', "pnpm test -t 'it'\\''s'"],
    ['{"scripts":{"test":"jest --ci"}}', 'yarn.lock', 'yarn test', "yarn test -t 'it'\\''s'"],
    ['{"scripts":{"test":"vitest run"}}', 'package-lock.json', 'npm test', "npm test -- -t 'it'\\''s'"],
    ['{"devDependencies":{"vitest":"5"}}', 'x', 'vitest run', "vitest run -t 'it'\\''s'"],
    [
      '{"devDependencies":{"jest":"30"}, "scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
      'x',
      'jest',
      "jest -t 'it'\\''s'",
    ],
    ['{}', 'x', 'node --test', "node --test --test-name-pattern='it'\\''s'"],
  ])('%s with %s is run by %s', async (...row) => {
    const [pkg, lock, plain, chosen] = row;
    put('package.json', pkg);
    put(lock, '');
    const tool = builtinTools.find(({ name }) => name === 'run_tests')!;
    expect((await tool.prepare!({}, context)).command).toBe(plain);
    expect((await tool.prepare!({ pattern: "it's" }, context)).command).toBe(chosen);
  });

  test('no runner: it says what to do', async () => {
    await expect(call('run_tests', {})).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('run_command'),
    });
  });
});
