// Covers apps/claude-code/verification, adapters/tools/git: what the chain refuses, and what remains after a kill.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { createScene, PROJECT, reviewed } from './mcp.fixture.ts';

const CHANGED = 'export const sum = (a, b) => b + a;\n';

test('a folder that only begins like a root, a link out of it and a missing folder are refused', async () => {
  await using scene = await createScene({ hasKey: false });
  const { workspace } = scene.place;
  mkdirSync(`${workspace}-evil`);
  symlinkSync('/usr', join(workspace, 'link'));
  for (const folder of [`${workspace}-evil`, join(workspace, 'link'), join(workspace, '..'), '/', '../workspace-evil'])
    expect(await scene.call('check', { working_dir: folder })).toMatchObject({ code: 'workspace.outside' });
  expect(await scene.call('check', { working_dir: 'nothing' })).toMatchObject({ code: 'workspace.missing' });
});

describe('commit', () => {
  test('refuses a secret before anything runs, and never shows it', async () => {
    await using scene = await createScene();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    scene.write('config.js', `export const token = '${secret}';\n`);
    const answer = await scene.call('commit');
    expect(answer).toMatchObject({ isError: true, stage: 'commit', code: 'commit.secrets' });
    expect(answer.message).toContain('config.js:1');
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect(scene.model.requests).toEqual([]);
    expect(scene.git('log', '--format=%s')).toBe('Begin');
  });

  test('refuses files that a check changed: what is committed was checked', async () => {
    const Makefile = 'check:\n\techo "// formatted" >> sum.js\n';
    await using scene = await createScene({ files: { ...PROJECT, Makefile } });
    scene.write('sum.js', CHANGED);
    expect(await scene.call('commit')).toMatchObject({ stage: 'commit', code: 'commit.changed' });
    expect(scene.git('log', '--format=%s')).toBe('Begin');
  });

  test('refuses files that were changed during the review', async () => {
    await using scene = await createScene();
    scene.write('sum.js', CHANGED);
    const change = (step: string) => {
      if (step.startsWith('confirm')) scene.write('sum.js', 'export const sum = () => process.exit();\n');
    };
    const answer = await scene.call('commit', {}, { onProgress: change });
    expect(answer).toMatchObject({ stage: 'commit', code: 'commit.changed' });
    expect(scene.git('log', '--format=%s')).toBe('Begin');
  });

  test('of some paths is refused while other changes would be checked too', { tags: ['long'] }, async () => {
    await using scene = await createScene();
    scene.write('sum.js', CHANGED);
    scene.write('other.js', 'export {};\n');
    const input = { paths: ['sum.js'], message: 'Change the sum' };
    const refused = await scene.call('commit', input);
    expect(refused).toMatchObject({ stage: 'commit', code: 'commit.others' });
    expect(refused.message).toContain('other.js');
    writeFileSync(join(scene.place.workspace, '.git/info/exclude'), 'other.js\n');
    expect(await scene.call('commit', input)).toMatchObject({ ok: true, files: ['sum.js'] });
  });

  test('runs the hooks of the repository in the sandbox, and a failing one stops it', async () => {
    await using scene = await createScene();
    const hook = join(scene.place.workspace, '.git/hooks/pre-commit');
    writeFileSync(hook, `#!/bin/sh\ntouch ${scene.place.home}/escaped\necho "refused by the hook" >&2\nexit 1\n`);
    chmodSync(hook, 0o755);
    scene.write('sum.js', CHANGED);
    const answer = await scene.call('commit', { message: 'Change the sum' });
    expect(answer).toMatchObject({ stage: 'commit', code: 'commit.failed' });
    expect(answer.message).toContain('refused by the hook');
    expect(existsSync(join(scene.place.home, 'escaped'))).toBe(false);
    expect(scene.git('log', '--format=%s')).toBe('Begin');
  });

  test('without changes says so, and without a key names the stage confirm', { tags: ['long'] }, async () => {
    await using scene = await createScene({ hasKey: false });
    expect(await scene.call('commit')).toMatchObject({ stage: 'commit', code: 'commit.nothing' });
    scene.write('sum.js', CHANGED);
    expect(await scene.call('commit')).toMatchObject({ stage: 'confirm', code: 'auth' });
    expect(scene.git('log', '--format=%s')).toBe('Begin');
  });

  test(
    'a review that names places that do not exist is asked again, and counts as no review',
    { tags: ['long'] },
    async () => {
      const finding = { file: '../../etc/passwd', line: 1, severity: 'error', text: 'x' };
      await using scene = await createScene({
        script: reviewed({ verdict: 'confirm', summary: 'Fine.', findings: [finding] }),
      });
      scene.write('sum.js', CHANGED);
      expect(await scene.call('commit')).toMatchObject({ stage: 'confirm', code: 'confirm.invalid' });
      expect(scene.git('log', '--format=%s')).toBe('Begin');
    },
  );
});

test('the reviewer cannot change anything or run commands', async () => {
  const calls: ToolCall[] = [
    { name: 'write_file', input: { path: 'planted.js', content: 'x' } },
    { name: 'run_command', input: { command: 'touch planted.sh' } },
    { name: 'commit_changes', input: { message: 'x', tree: 'x', head: 'x' } },
  ];
  const script = reviewed();
  script.steps.splice(1, 0, { when: { turn: 0, user: 'Review a change' }, reply: { calls } });
  await using scene = await createScene({ script });
  scene.write('sum.js', CHANGED);
  expect(await scene.call('confirm')).toMatchObject({ stage: 'confirm', code: 'denied' });
  expect(scene.git('status', '--porcelain')).toBe('M sum.js');
});

test('the output of a check is cut, and its problems are kept', { tags: ['long'] }, async () => {
  const Makefile = 'check:\n\t@echo "sum.js:7: error: here"; yes "a long line" | head -c 20000000; exit 3\n';
  await using scene = await createScene({ files: { ...PROJECT, Makefile }, hasKey: false });
  const answer = await scene.call('check');
  expect(answer).toMatchObject({ stage: 'check', checks: [{ passed: false, exitCode: 2 }] });
  expect(answer.checks![0]!.summary).toContain('sum.js:7: error: here');
  expect(answer.checks![0]!.summary.length).toBeLessThan(20_000);
});

const WAITING = { ...PROJECT, Makefile: 'check:\n\t@touch begun; sleep 600\n', '.gitignore': 'begun\n' };

test('a cancelled check ends its command, and the server works on', { tags: ['long'] }, async () => {
  await using scene = await createScene({ files: WAITING, hasKey: false });
  const stop = new AbortController();
  const called = scene.call('check', {}, { signal: stop.signal });
  await untilFile(join(scene.place.workspace, 'begun'), () => true);
  stop.abort();
  await expect(called).rejects.toBeInstanceOf(Error);
  scene.write('Makefile', 'check:\n\t@true\n');
  expect(await scene.call('check')).toMatchObject({ ok: true });
});

test(
  'killed in the middle of a commit, index and tree are as before, and a later commit succeeds',
  { tags: ['long'] },
  async () => {
    const hook = '#!/bin/sh\ntouch begun\nif [ ! -e go ]; then sleep 600; fi\n';
    const files = { ...PROJECT, '.gitignore': 'begun\ngo\n' };
    await using scene = await createScene({ files });
    const { workspace } = scene.place;
    const path = join(workspace, '.git/hooks/commit-msg');
    writeFileSync(path, hook);
    chmodSync(path, 0o755);
    scene.write('sum.js', CHANGED);
    const index = readFileSync(join(workspace, '.git/index'));
    const called = scene.call('commit', { message: 'Change the sum' });
    called.catch(() => {});
    await untilFile(join(workspace, 'begun'), () => true);
    scene.kill();
    await expect(called).rejects.toBeInstanceOf(Error);
    expect(readFileSync(join(workspace, '.git/index'))).toEqual(index);
    expect(scene.git('log', '--format=%s')).toBe('Begin');
    expect(readFileSync(join(workspace, 'sum.js'), 'utf8')).toBe(CHANGED);
    scene.write('go', '');
    await scene.reconnect();
    expect(await scene.call('commit', { message: 'Change the sum' })).toMatchObject({ ok: true });
    expect(scene.git('status', '--porcelain')).toBe('');
  },
);
