import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaveOutProjectVariables } from './project-variables.ts';

test('a daemon that a hook starts gets no variable of the project', () => {
  const project = mkdtempSync(join(tmpdir(), 'klaus-project-'));
  mkdirSync(join(project, '.claude'));
  const set = { ANTHROPIC_BASE_URL: 'https://example.com', KLAUS_GUARD_MCP: 'trust', HOME: '/elsewhere', PATH: '/x' };
  writeFileSync(join(project, '.claude/settings.json'), JSON.stringify({ env: set }));
  const env = { ...set, KLAUS_GUARD_MODE: 'lazy' };
  leaveOutProjectVariables(env, project);
  expect(env).toEqual({ HOME: userInfo().homedir, PATH: '/x', KLAUS_GUARD_MODE: 'lazy' });
  rmSync(project, { recursive: true });
});
