import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { createProject } from './twelve-tools.ts';

const patch = `*** Begin Patch
*** Update File: src/greet.js
@@
-export const greeting = 'hello';
+export const greeting = 'good day';
*** Add File: src/extra.js
+export const extra = 1;
*** End Patch`;

type Calls = NonNullable<Script['steps'][number]['reply']['calls']>;

const NODE = "require('node:fs').appendFileSync('ran.log', 'node\\n'); setTimeout(() => console.log('late'), 200)";

const ROUNDS: Calls[] = [
  [
    { name: 'list_files', input: {} },
    { name: 'read_file', input: { path: 'src/greet.js' } },
    { name: 'search_files', input: { pattern: 'greeting' } },
  ],
  [
    { name: 'write_file', input: { path: 'notes.txt', content: 'one\ntwo\n' } },
    { name: 'edit_file', input: { path: 'notes.txt', edits: [{ old: 'two', new: 'TWO' }] } },
    { name: 'apply_patch', input: { patch } },
    { name: 'delete_file', input: { path: 'old.txt' } },
  ],
  [{ name: 'run_command', input: { command: 'echo shell >> ran.log; sleep 0.5; echo wrote' } }],
  [
    { name: 'memory_set', input: { key: 'build', value: 'npm test runs everything' } },
    { name: 'memory_get', input: { key: 'build' } },
    { name: 'memory_list', input: {} },
    { name: 'memory_search', input: { query: 'everything' } },
  ],
  [{ name: 'npm_run', input: { script: 'mark' } }],
  [{ name: 'run_node_script', input: { code: NODE } }],
  [
    { name: 'git_status', input: {} },
    { name: 'git_diff', input: {} },
  ],
  [{ name: 'run_tests', input: {} }],
  [{ name: 'git_commit', input: { message: 'Greet by day', all: true } }],
  [{ name: 'git_branch', input: { action: 'create', name: 'by-day' } }],
  [{ name: 'git_log', input: {} }],
];

/** A run of twenty different tools: reads, edits, memory, slow commands, tests and git. */
export const TWENTY_TOOLS: Script = {
  name: 'twenty-tools',
  steps: [
    ...ROUNDS.map((calls, turn) => ({ when: { turn, tools: true }, reply: { text: `Round ${turn}.`, calls } })),
    { when: { turn: ROUNDS.length, tools: true }, reply: { text: 'All twenty are done.' } },
  ],
};

export const TWENTY = ROUNDS.flat().length;

/** The project of the run of twelve tools, with a script that writes a line. */
export function createMarkedProject(folder: string): void {
  createProject(folder);
  const scripts = { test: 'node --test', mark: 'echo npm >> ran.log && sleep 0.3' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name: 'p', type: 'module', scripts })}\n`);
}
