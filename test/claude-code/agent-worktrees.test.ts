// Covers apps/claude-code/hooks/project: calls in a worktree that Claude Code creates for an agent.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGuard, type Guard } from '../../apps/claude-code/hooks/main.ts';
import { createKlaus, type Klaus } from '@klaus/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

let place: TestHome;
let klaus: Klaus;
let guard: Guard;

beforeAll(async () => {
  place = createTestHome({ 'README.md': '# Test\n', 'src/a.ts': 'export {};\n' });
  const { workspace, env } = place;
  execFileSync('git', ['worktree', 'add', '-q', '.claude/worktrees/fix'], { cwd: workspace, env });
  // As with `worktree.useRelativePaths`.
  mkdirSync(join(workspace, '.claude/worktrees/relative'));
  writeFileSync(join(workspace, '.claude/worktrees/relative/.git'), 'gitdir: ../../../.git/worktrees/relative\n');
  mkdirSync(join(workspace, '.claude/worktrees/plain'));
  mkdirSync(join(workspace, '.claude/worktrees/forged'));
  writeFileSync(join(workspace, '.claude/worktrees/forged/.git'), 'gitdir: /elsewhere/.git/worktrees/forged\n');
  symlinkSync('..', join(workspace, '.claude/worktrees/link'));
  klaus = await createKlaus({ env, home: place.home, cwd: workspace });
  guard = createGuard({ klaus, mcp: 'judge', mode: 'strict', usdPerDay: 1, deadlineMs: 20_000 });
});

afterAll(async () => {
  await klaus[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

async function judge(tool_name: string, tool_input: object, cwd = ''): Promise<unknown> {
  const event = { session_id: 's', cwd: join(place.workspace, cwd), tool_use_id: 't', hook_event_name: 'PreToolUse' };
  const answer = await guard.handle(JSON.stringify({ ...event, tool_name, tool_input }), place.workspace);
  const { permissionDecision } = (answer['hookSpecificOutput'] ?? {}) as { permissionDecision?: string };
  return permissionDecision ?? 'allow';
}

test.for([
  ['.claude/worktrees/fix/src/new.ts', 'allow'],
  ['.claude/worktrees/relative/a.ts', 'allow'],
  ['.claude/worktrees/fix/.claude/settings.json', 'ask'],
  ['.claude/worktrees/fix/.husky/pre-commit', 'ask'],
  ['.claude/worktrees/fix/.git', 'deny'],
  ['.claude/worktrees/plain/a.ts', 'ask'],
  ['.claude/worktrees/forged/a.ts', 'ask'],
  ['.claude/worktrees/link/settings.json', 'ask'],
  ['.claude/worktrees/new', 'ask'],
  ['.claude/settings.json', 'ask'],
])('a write of %s: %s', async ([path, verdict]) => {
  expect(await judge('Write', { file_path: join(place.workspace, path!), content: 'x' })).toBe(verdict);
});

test('a command in it is judged as in the project', async () => {
  const cwd = '.claude/worktrees/fix';
  expect(await judge('Bash', { command: 'echo x > ../../settings.json' }, cwd)).toBe('ask');
  expect(await judge('Bash', { command: 'rm -rf ../../../src ../../../README.md ../../..' }, cwd)).toBe('deny');
  expect(await judge('Bash', { command: 'cat src/a.ts' }, cwd)).toBe('allow');
});
