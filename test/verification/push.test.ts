// Covers apps/claude-code/verification, adapters/tools/git: pushing branches, and what is never overwritten.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createScene, type Scene } from './mcp.fixture.ts';

/** A remote repository beside the workspace. */
function addRemote(scene: Scene): (...args: string[]) => string {
  const { place } = scene;
  const remote = join(place.home, '..', 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: place.env });
  scene.git('remote', 'add', 'origin', remote);
  return (...args) => execFileSync('git', ['-C', remote, ...args], { env: place.env, encoding: 'utf8' }).trim();
}

test('pushes the current branch, and the tracking branch follows', async () => {
  await using scene = await createScene({ hasKey: false });
  const remote = addRemote(scene);
  const head = scene.git('rev-parse', 'HEAD');
  expect(await scene.call('push')).toMatchObject({ ok: true, remote: 'origin', branch: 'main', commit: head });
  expect(remote('rev-parse', 'main')).toBe(head);
  expect(scene.git('rev-parse', 'origin/main')).toBe(head);
});

test('commits of a protected branch are never overwritten, those of others only as they were fetched', async () => {
  await using scene = await createScene({ hasKey: false });
  const remote = addRemote(scene);
  scene.git('branch', 'topic');
  scene.git('branch', 'release/1');
  for (const branch of ['main', 'topic', 'release/1']) await scene.call('push', { branch });
  scene.git('commit', '-q', '--amend', '-m', 'Rewritten');
  const rewritten = scene.git('rev-parse', 'HEAD');
  for (const branch of ['topic', 'release/1']) scene.git('branch', '-f', branch, rewritten);
  for (const branch of ['main', 'release/1']) {
    const answer = await scene.call('push', { branch, force: true });
    expect(answer).toMatchObject({ isError: true, stage: 'push', code: 'push.protected' });
    expect(remote('rev-parse', branch)).not.toBe(rewritten);
  }
  expect(await scene.call('push', { branch: 'topic' })).toMatchObject({ stage: 'push', code: 'push.failed' });
  expect(await scene.call('push', { branch: 'topic', force: true })).toMatchObject({ ok: true });
  expect(remote('rev-parse', 'topic')).toBe(rewritten);
  // Another user pushed since: the lease does not hold.
  remote('update-ref', 'refs/heads/topic', remote('rev-parse', 'main'));
  scene.git('commit', '-q', '--amend', '-m', 'Rewritten again');
  scene.git('branch', '-f', 'topic', 'HEAD');
  expect(await scene.call('push', { branch: 'topic', force: true })).toMatchObject({ code: 'push.failed' });
});

test('no setting and no hook of the repository runs outside of the sandbox', async () => {
  await using scene = await createScene({ hasKey: false });
  const remote = addRemote(scene);
  const escaped = join(scene.place.home, 'escaped');
  const hook = join(scene.place.workspace, '.git/hooks/pre-push');
  writeFileSync(hook, `#!/bin/sh\ntouch ${escaped}\n`);
  chmodSync(hook, 0o755);
  scene.git('config', 'core.sshCommand', `touch ${escaped}`);
  scene.git('config', 'remote.origin.receivepack', `touch ${escaped};`);
  scene.git('config', 'core.fsmonitor', `touch ${escaped}`);
  expect(await scene.call('push')).toMatchObject({ ok: true });
  expect(remote('rev-parse', 'main')).toBe(scene.git('-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD'));
  expect(existsSync(escaped)).toBe(false);
  scene.git('config', 'remote.origin.url', `ext::sh -c "touch% ${escaped}"`);
  expect(await scene.call('push')).toMatchObject({ stage: 'push', code: 'push.failed' });
  expect(existsSync(escaped)).toBe(false);
});

test('a failing pre-push hook stops it', async () => {
  await using scene = await createScene({ hasKey: false });
  const remote = addRemote(scene);
  const hook = join(scene.place.workspace, '.git/hooks/pre-push');
  writeFileSync(hook, '#!/bin/sh\necho "not today" >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  const answer = await scene.call('push');
  expect(answer).toMatchObject({ stage: 'push', code: 'push.failed' });
  expect(answer.message).toContain('not today');
  expect(remote('for-each-ref')).toBe('');
});

test('credentials of the remote are in no output', async () => {
  await using scene = await createScene({ hasKey: false });
  scene.git('remote', 'add', 'origin', 'http://user:pa55-w0rd-x1y2@127.0.0.1:9/r.git');
  const answer = await scene.call('push');
  expect(answer).toMatchObject({ stage: 'push', code: 'push.failed' });
  expect(JSON.stringify(answer)).not.toContain('pa55-w0rd');
});

test('a remote and a branch that do not exist are named', { tags: ['long'] }, async () => {
  await using scene = await createScene({ hasKey: false });
  expect((await scene.call('push')).message).toContain('There is no remote origin');
  addRemote(scene);
  expect((await scene.call('push', { branch: 'nothing' })).message).toContain('There is no branch nothing');
  expect(await scene.call('push', { branch: '--mirror' })).toMatchObject({ code: 'push.failed' });
});
