// Covers apps/cli/commands, apps/cli/daemon, sdk/copies: input that commands for sessions and working copies refuse, each with what to do.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkingCopy } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type Ended, runKlaus } from '../fixtures/klaus.ts';
import { createRoof, type Roof, SHORT, toError } from './roof.ts';

function refused(ended: Ended): { code: number | null; error: string; hasHint: boolean } {
  const { code, hint } = toError(ended);
  return { code: ended.code, error: code, hasHint: (hint ?? '') !== '' };
}

const gitIn = (roof: Roof, folder: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, env: roof.place.env }).toString().trimEnd();

async function listCopies(roof: Roof): Promise<WorkingCopy[]> {
  const { stdout } = await roof.klaus('copies', '--json');
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as WorkingCopy);
}

test(
  'start --worktree: no repository, no commit, a bare one, Git data, and a working copy',
  { tags: ['long'] },
  async () => {
    await using roof = await createRoof({ script: SHORT });
    const [id] = await roof.start('--worktree');
    expect((await roof.klaus('wait', id!)).code).toBe(0);
    const root = dirname(roof.place.workspace);
    for (const name of ['plain', 'empty', 'bare']) mkdirSync(join(root, name));
    gitIn(roof, join(root, 'empty'), 'init', '-q');
    gitIn(roof, join(root, 'bare'), 'init', '-q', '--bare');
    const [copy] = await listCopies(roof);
    const options = { place: roof.place, server: roof.model };
    for (const cwd of [join(root, 'plain'), join(root, 'empty'), join(root, 'bare')]) {
      const ended = await runKlaus(['start', 'klaus', 'go', '--worktree', '--detach', '--json'], { ...options, cwd });
      expect([cwd, refused(ended)]).toEqual([cwd, { code: 2, error: 'copy.refused', hasHint: true }]);
    }
    // The daemon works in no folder of Git data, and in none of the state folder.
    for (const [cwd, error] of [
      [join(roof.place.workspace, '.git'), 'workspace.refused'],
      [copy!.path, 'copy.refused'],
    ] as const) {
      const ended = await runKlaus(['start', 'klaus', 'go', '--worktree', '--detach', '--json'], { ...options, cwd });
      expect([cwd, refused(ended)]).toEqual([cwd, { code: 2, error, hasHint: true }]);
    }
    for (const folder of ['plain', 'bare', 'empty']) {
      const listed = await runKlaus(['copies', '--prune', '--json'], { ...options, cwd: join(root, folder) });
      expect([folder, refused(listed)]).toEqual([folder, { code: 2, error: 'copy.refused', hasHint: true }]);
    }
    expect(await listCopies(roof)).toHaveLength(1);
    expect((await roof.klaus('sessions', '--json')).stdout.trim().split('\n')).toHaveLength(1);
  },
);

test('a detached HEAD: the copy starts from its commit, and a merge needs the name of a branch', async () => {
  await using roof = await createRoof({ script: SHORT });
  const { workspace } = roof.place;
  gitIn(roof, workspace, 'checkout', '-q', '--detach');
  const [id] = await roof.start('--worktree');
  expect((await roof.klaus('wait', id!)).code).toBe(0);
  const [copy] = await listCopies(roof);
  expect(copy).toMatchObject({ target: null, state: 'clean', base: gitIn(roof, workspace, 'rev-parse', 'HEAD') });
  writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
  expect(refused(await roof.klaus('merge', id!, '--json'))).toEqual({ code: 1, error: 'copy.blocked', hasHint: true });
  const none = await roof.klaus('merge', id!, '--into', 'nothing', '--json');
  expect(refused(none)).toEqual({ code: 1, error: 'copy.blocked', hasHint: true });
  const pr = await roof.klaus('pr', id!, '--dry-run', '--json');
  expect(JSON.parse(pr.stdout)).toMatchObject({ opened: false, target: null });
  expect((await roof.klaus('merge', id!, '--into', 'main')).code).toBe(0);
  expect(gitIn(roof, workspace, 'show', 'main:new.txt')).toBe('new');
});

test('a beginning that two sessions have is refused by each command, with both ids', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: SHORT });
  const ids = await roof.start('--count', '2', '--worktree');
  expect((await roof.klaus('wait', ...ids)).code).toBe(0);
  const commands = [
    ['message', '0', 'more'],
    ['attach', '0'],
    ['logs', '0'],
    ['wait', '0'],
    ['diff', '--session', '0'],
  ];
  for (const words of commands) {
    const ended = await roof.klaus(...words, '--json');
    expect([words, refused(ended)]).toEqual([words, { code: 2, error: 'usage', hasHint: true }]);
    const { message, hint } = toError(ended);
    for (const id of ids) expect(`${message} ${hint}`).toContain(id);
  }
  for (const words of [
    ['merge', '0'],
    ['discard', '0'],
    ['keep', '0'],
    ['pr', '0', '--dry-run'],
  ]) {
    const ended = await roof.klaus(...words, '--json');
    expect([words, refused(ended)]).toEqual([words, { code: 2, error: 'usage', hasHint: true }]);
    for (const id of ids) expect(toError(ended).hint).toContain(id.slice(-8).toLowerCase());
  }
  expect(await listCopies(roof)).toHaveLength(2);
});

test('no instance, an unknown one, and no parent', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: SHORT });
  for (const words of [['checkout'], ['checkout', '01J'], ['start', 'klaus', 'go', '--instance', '01J', '--detach']]) {
    const ended = await roof.klaus(...words, '--json');
    expect([words, refused(ended)]).toEqual([words, { code: 2, error: 'usage', hasHint: true }]);
  }
  expect((await roof.klaus('sessions', '--json')).stdout).toBe('');
});
