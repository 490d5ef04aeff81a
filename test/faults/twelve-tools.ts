import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';

const patch = `*** Begin Patch
*** Update File: src/greet.js
@@
-export const greeting = 'hello';
+export const greeting = 'good day';
*** Add File: src/extra.js
+export const extra = 1;
*** End Patch`;

type Calls = NonNullable<Script['steps'][number]['reply']['calls']>;

const ROUNDS: Calls[] = [
  [
    { name: 'list_files', input: {} },
    { name: 'read_file', input: { path: 'src/greet.js' } },
    { name: 'search_files', input: { pattern: 'greeting' } },
  ],
  [{ name: 'write_file', input: { path: 'notes/new.txt', content: 'one\ntwo\n' } }],
  [{ name: 'edit_file', input: { path: 'notes/new.txt', edits: [{ old: 'two', new: 'TWO' }] } }],
  [{ name: 'apply_patch', input: { patch } }],
  [{ name: 'delete_file', input: { path: 'old.txt' } }],
  [{ name: 'run_command', input: { command: 'echo ran >> ran.log; echo wrote' } }],
  [
    { name: 'git_status', input: {} },
    { name: 'git_diff', input: {} },
  ],
  [{ name: 'run_tests', input: {} }],
  [{ name: 'git_log', input: {} }],
];

/** A run of twelve tool calls: parallel reads, four kinds of edit, a shell that writes a line, git, tests. */
export const TWELVE_TOOLS: Script = {
  name: 'twelve-tools',
  steps: [
    ...ROUNDS.map((calls, turn) => ({ when: { turn, tools: true }, reply: { text: `Round ${turn}.`, calls } })),
    { when: { turn: ROUNDS.length, tools: true }, reply: { text: 'All twelve are done.' } },
  ],
};

export const TOOL_CALLS = ROUNDS.flat().length;

/** The project of the run, committed to its own repository. */
export function createProject(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'test'));
  mkdirSync(join(folder, 'notes'));
  // The first edit there finds it, also after a crash between the edit and its result.
  writeFileSync(join(folder, 'notes/AGENTS.md'), 'Keep notes short.\n');
  writeFileSync(join(folder, 'package.json'), '{"name":"p","type":"module","scripts":{"test":"node --test"}}\n');
  writeFileSync(join(folder, 'src/greet.js'), "export const greeting = 'hello';\n");
  writeFileSync(join(folder, 'old.txt'), 'old\n');
  writeFileSync(
    join(folder, 'test/greet.test.js'),
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { greeting } from '../src/greet.js';\ntest('greets', () => assert.ok(greeting.length > 0));\n",
  );
  const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { env: GIT_ENV });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
}

/** Fixed times and names, so that two repositories of the same content have the same commit. */
export const GIT_ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};
