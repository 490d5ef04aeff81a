import { expect } from 'vitest';
import type { Script } from '@klaus/adapters/models';
import { builtinTools } from '@klaus/adapters/tools';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { installPackage } from '../fixtures/installed.ts';
import { test } from '../fixtures/sandboxed.ts';

type Calls = NonNullable<Script['steps'][number]['reply']['calls']>;

interface Case {
  files?: Record<string, string>;
  /** Packages that the workspace has installed. */
  packages?: readonly string[];
  /** Calls in the order of the turns; the last one is the tool's. */
  calls: Calls;
  /** Text that the model is given. */
  gives: string | RegExp;
}

const one = (name: string, input: Calls[number]['input'] = {}): Calls => [{ name, input }];
const SUM = 'export const sum = (a, b) => a - b;\n';
const TEST =
  "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.js';\ntest('sum', () => assert.equal(sum(1, 0), 1));\n";

/** One call for every tool that the model is offered. */
const CASES: Record<string, Case> = {
  read_file: { files: { 'sum.js': SUM }, calls: one('read_file', { path: 'sum.js' }), gives: SUM },
  write_file: { calls: one('write_file', { path: 'new/a.txt', content: 'x\n' }), gives: 'new/a.txt' },
  edit_file: {
    files: { 'sum.js': SUM },
    calls: one('edit_file', { path: 'sum.js', edits: [{ old: 'a - b', new: 'a + b' }] }),
    gives: 'sum.js (+1 −1)',
  },
  apply_patch: {
    files: { 'sum.js': SUM },
    calls: one('apply_patch', {
      patch: `*** Begin Patch\n*** Update File: sum.js\n@@\n-${SUM}+// gone\n*** End Patch`,
    }),
    gives: 'sum.js',
  },
  delete_file: { files: { 'a.txt': 'x' }, calls: one('delete_file', { path: 'a.txt' }), gives: 'a.txt' },
  list_files: { files: { 'src/a.js': '' }, calls: one('list_files'), gives: 'src/a.js' },
  search_files: {
    files: { 'sum.js': SUM },
    calls: one('search_files', { pattern: 'sum = ' }),
    gives: /sum\.js\s+1: export const sum/,
  },
  run_command: { calls: one('run_command', { command: 'echo $((6 * 7))' }), gives: '42\n[exit code 0]' },
  run_tests: {
    files: { 'package.json': '{"type":"module"}', 'sum.js': SUM, 'sum.test.js': TEST },
    calls: one('run_tests'),
    gives: 'Tests: 1 passed, 0 failed.',
  },
  git_status: {
    calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }, ...one('git_status')],
    gives: '## main\n?? a.txt',
  },
  git_diff: {
    files: { 'a.txt': 'one\n' },
    calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }, ...one('git_diff')],
    gives: '-one\n+two',
  },
  git_log: { calls: one('git_log'), gives: 'Test: Begin (HEAD -> main)' },
  git_checkpoint: {
    calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }, ...one('git_checkpoint')],
    gives: 'on refs/klaus/checkpoints/',
  },
  npm_run: {
    files: { 'package.json': '{"scripts":{"hello":"echo hello, world"}}' },
    calls: one('npm_run', { script: 'hello' }),
    gives: 'hello, world',
  },
  tsc_check: {
    files: {
      'tsconfig.json': '{"compilerOptions":{"types":[]},"files":["a.ts"]}',
      'a.ts': 'export const a: number = 1;\n',
    },
    packages: ['typescript'],
    calls: one('tsc_check'),
    gives: '0 errors.',
  },
  eslint_check: {
    files: { 'eslint.config.mjs': 'export default [{}];\n' },
    packages: ['eslint'],
    calls: one('eslint_check'),
    gives: '1 file looked at: 0 errors.',
  },
  prettier_format: {
    files: { 'a.js': 'let  a\n' },
    packages: ['prettier'],
    calls: one('prettier_format', { paths: ['a.js'] }),
    gives: '1 file changed:\na.js',
  },
  run_node_script: { calls: one('run_node_script', { code: 'console.log(6 * 7)' }), gives: '\n42' },
  run_python_script: { calls: one('run_python_script', { code: 'print(6 * 7)' }), gives: '\n42' },
  git_commit: {
    calls: [
      { name: 'write_file', input: { path: 'a.txt', content: 'x' } },
      ...one('git_commit', { message: 'Add a', paths: ['a.txt'] }),
    ],
    gives: /^\[main [0-9a-f]+\] Add a\n a\.txt \| 1 \+/,
  },
  git_branch: { calls: one('git_branch', { action: 'create', name: 'topic' }), gives: "'topic'" },
  memory_get: {
    calls: [
      { name: 'memory_set', input: { key: 'build', value: 'npm run build' } },
      ...one('memory_get', { key: 'build' }),
    ],
    gives: /^build \[general\], noted in session \S+ on \d{4}-\d\d-\d\d:\nnpm run build$/,
  },
  memory_set: {
    calls: one('memory_set', { key: 'build', value: 'make' }),
    gives: 'Remembered as build [general] for this project.',
  },
  memory_list: {
    calls: [{ name: 'memory_set', input: { key: 'build', value: 'make', category: 'pinned' } }, ...one('memory_list')],
    gives: 'build [pinned]: make',
  },
  memory_search: {
    calls: [
      { name: 'memory_set', input: { key: 'build', value: 'make all' } },
      ...one('memory_search', { query: 'all?' }),
    ],
    gives: 'build [general]: make all',
  },
  recall: {
    files: { 'long.txt': `${'line\n'.repeat(3_000)}the pelican sleeps\n${'line\n'.repeat(3_000)}` },
    calls: [{ name: 'read_file', input: { path: 'long.txt' } }, ...one('recall', { query: 'pelican' })],
    gives: /^\[seq \d+, turn 1, result of read_file long\.txt: characters \d+–\d+ of 30019\]\n[^]*the pelican sleeps\n/,
  },
  process_output: {
    calls: [
      { name: 'run_command', input: { command: 'echo up; sleep 1000', background: true } },
      ...one('process_output', { process: 'p1', waitFor: 'up' }),
    ],
    gives: 'p1: running\nup\n[bytes 0 to 3 of 3]',
  },
  process_control: {
    calls: [
      { name: 'run_command', input: { command: 'sleep 1000', background: true } },
      ...one('process_control', { process: 'p1', stop: true }),
    ],
    gives: 'p1: stopped: the model stopped it.',
  },
};

test('every built-in tool has a case here', () => {
  expect(Object.keys(CASES).sort()).toEqual(builtinTools.map(({ name }) => name).sort());
});

test.each(Object.entries(CASES))('%s through the whole loop', async (name, { files, packages, calls, gives }) => {
  await using engine = await createTestEngine({
    files: { 'README.md': '# Test\n', '.gitignore': 'node_modules/\n', ...files },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual' },
    script: {
      steps: [
        ...calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
        { when: { turn: calls.length }, reply: { text: 'Done.' } },
      ],
    },
  });
  for (const pkg of packages ?? []) installPackage(engine.place.workspace, pkg);
  const session = await engine.klaus.open();
  await session.prompt('Use the tool.');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(ofType(events, 'gate.decided').map(({ verdict }) => verdict)).toEqual(calls.map(() => 'allow'));
  const finished = ofType(events, 'tool.finished').at(-1)!;
  expect(finished).toMatchObject({ name, outcome: 'ok' });
  if (typeof gives === 'string') expect(finished.output).toContain(gives);
  else expect(finished.output).toMatch(gives);
  // The model was given the very same.
  const told = JSON.stringify(finished.output).slice(1, -1);
  expect(engine.server.requests.some(({ body }) => body.includes(told))).toBe(true);
});
