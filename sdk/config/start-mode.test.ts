import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode } from '@klaus/core/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfiguration } from './load-configuration.ts';
import { toStartMode } from './start-mode.ts';

let home: string;
let cwd: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'klaus-mode-'));
  cwd = join(home, 'project');
  await mkdir(join(cwd, '.klaus'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

interface Given {
  user?: Mode;
  project?: Mode;
  variable?: Mode;
  option?: Mode;
  /** The choice, and the setting at that time. */
  chosen?: { mode: Mode; setting?: Mode };
}

test.each<[string, Given, Mode]>([
  ['without a choice, the default', {}, 'auto'],
  ['without a choice, the setting of the user', { user: 'edits' }, 'edits'],
  ['the choice', { chosen: { mode: 'ask', setting: 'auto' } }, 'ask'],
  ['the choice over the setting of the user', { user: 'ask', chosen: { mode: 'auto', setting: 'ask' } }, 'auto'],
  ['a setting that changed later', { user: 'plan', chosen: { mode: 'auto', setting: 'auto' } }, 'plan'],
  ['a variable', { variable: 'auto', chosen: { mode: 'ask', setting: 'auto' } }, 'auto'],
  ['an option', { option: 'edits', chosen: { mode: 'ask', setting: 'auto' } }, 'edits'],
  ['a choice that is narrower than a project file', { project: 'ask', chosen: { mode: 'plan' } }, 'plan'],
  ['a project file that is narrower', { project: 'ask', chosen: { mode: 'edits', setting: 'auto' } }, 'ask'],
  ['a choice under an option, in later starts', { chosen: { mode: 'edits' }, user: 'ask' }, 'edits'],
])('sessions begin with %s', async (_, { user, project, variable, option, chosen }, expected) => {
  if (user) await writeFile(join(home, 'config.yaml'), `approve: ${user}\n`);
  if (project) await writeFile(join(cwd, '.klaus/config.yaml'), `approve: ${project}\n`);
  const env = variable ? { KLAUS_APPROVE: variable } : {};
  const configuration = await loadConfiguration({ env, home, cwd, settings: { approve: option } });
  expect(toStartMode(configuration, chosen && { ...chosen, at: 1 }).mode).toBe(expected);
});
