// Covers adapters/workspace/copies, sdk/copies: working copies of repositories that share objects, are partial or shallow, or have filters.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script, WorkingCopy } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** A command, and the end of the run. */
const run = (command: string): Script => ({
  steps: [{ when: { turn: 0, tools: true }, reply: { calls: [{ shell: command }] } }],
  fallback: { text: 'Done.' },
});

/** A repository with two commits, of which another one is made; its `workspace` is that one. */
async function openPlace(command: string, sandbox = 'host') {
  const place = createTestHome({ 'a.txt': 'one\n', 'old.txt': 'old\n' });
  const server = await startServer(run(command));
  const origin = join(dirname(place.workspace), 'origin');
  const git = (folder: string, ...args: string[]): string => {
    const env = { ...place.env, GIT_ALLOW_PROTOCOL: 'file' };
    return execFileSync('git', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trimEnd();
  };
  const identify = (folder: string): void => {
    git(folder, 'config', 'user.name', 'Ann');
    git(folder, 'config', 'user.email', 'ann@localhost');
  };
  execFileSync('mv', [place.workspace, origin]);
  identify(origin);
  writeFileSync(join(origin, 'old.txt'), 'new\n');
  git(origin, 'commit', '-q', '-a', '-m', 'Second');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const klaus = (...words: string[]) =>
    runKlaus(words, { place, server, env: { KLAUS_SANDBOX: sandbox, GIT_ALLOW_PROTOCOL: 'file' } });
  return {
    place,
    origin,
    klaus,
    git,
    workspace: place.workspace,
    clone(...options: string[]): void {
      git(dirname(origin), 'clone', '-q', ...options, `file://${origin}`, place.workspace);
      identify(place.workspace);
    },
    identify,
    async start(): Promise<{ copy: WorkingCopy; output: string }> {
      const ran = await klaus('run', '--worktree', '--approve', 'auto', '--json', 'go');
      if (ran.code !== 0) throw new Error(ran.stderr);
      const [finished] = toEvents(ran.stdout).flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
      const [copy] = (await klaus('copies', '--json')).stdout.split('\n').filter(Boolean);
      return { copy: JSON.parse(copy!) as WorkingCopy, output: finished!.output };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

describe.runIf(hasBubblewrap)('in the sandbox', () => {
  test('a repository that shares objects with another one has its complete history', async () => {
    await using at = await openPlace(
      'git log --format=%s; git fsck --connectivity-only; echo two >> a.txt',
      'bubblewrap',
    );
    at.git(dirname(at.origin), 'clone', '-q', '--shared', at.origin, at.workspace);
    at.identify(at.workspace);
    const { copy, output } = await at.start();
    expect(output.split('\n')).toEqual(expect.arrayContaining(['Second', 'Begin']));
    expect(output).not.toMatch(/missing|error|bad object/i);
    expect((await at.klaus('merge', copy.session)).code).toBe(0);
    expect(readFileSync(join(at.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test('an entry of the alternates that is no object store is not shown', async () => {
    await using at = await openPlace(
      'cat ../../../../secret/objects/x; find / -name klaus-secret-file 2>/dev/null; true',
      'bubblewrap',
    );
    at.clone();
    const secret = join(dirname(at.origin), 'secret');
    mkdirSync(join(secret, 'pack'), { recursive: true });
    writeFileSync(join(secret, 'klaus-secret-file'), 'x\n');
    appendFileSync(join(at.workspace, '.git/objects/info/alternates'), `${secret}\n`);
    const { output } = await at.start();
    expect(output).not.toContain('klaus-secret-file');
  });
});

test(
  'a partial clone: the files of HEAD are there, and a merge that needs others has them',
  { tags: ['long'] },
  async () => {
    await using at = await openPlace('cat old.txt; echo two >> a.txt');
    at.clone('--filter=blob:none');
    const { copy, output } = await at.start();
    expect(output).toContain('new');
    // A merge needs the content of the common ancestor, which the copy may have to download.
    at.git(at.workspace, 'commit', '-q', '--allow-empty', '-m', 'Next');
    writeFileSync(join(at.workspace, 'old.txt'), 'newer\n');
    at.git(at.workspace, 'commit', '-q', '-a', '-m', 'Newer');
    expect((await at.klaus('merge', copy.session)).code).toBe(0);
    expect(readFileSync(join(at.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(at.git(at.workspace, 'status', '--porcelain')).toBe('');
  },
);

test(
  'a partial clone whose files are missing, and whose remote is gone: a coded error, and nothing is left',
  { tags: ['long'] },
  async () => {
    await using at = await openPlace('true');
    at.clone('--filter=blob:none', '--no-checkout');
    rmSync(at.origin, { recursive: true });
    const refused = await at.klaus('run', '--worktree', '--json', 'go');
    const { error } = JSON.parse(refused.stderr.split('\n').find((line) => line.startsWith('{"error"'))!) as {
      error: { code: string; hint?: string };
    };
    expect({ code: refused.code, error: error.code, hint: error.hint }).toEqual({
      ...{ code: 2, error: 'copy.refused', hint: expect.stringContaining('git') },
    });
    expect((await at.klaus('copies', '--json')).stdout).toBe('');
    expect(at.git(at.workspace, 'for-each-ref', 'refs/klaus')).toBe('');
  },
);

test('a shallow clone can be merged', { tags: ['long'] }, async () => {
  await using at = await openPlace('git log --format=%s; echo two >> a.txt');
  at.clone('--depth=1');
  const { copy, output } = await at.start();
  expect(output).toContain('Second');
  expect(output).not.toContain('Begin');
  expect((await at.klaus('merge', copy.session)).code).toBe(0);
  expect(at.git(at.workspace, 'rev-list', '--count', 'HEAD')).toBe('2');
});

test(
  'files of a filter: the pointers are kept if its program is missing, also in commits',
  { tags: ['long'] },
  async () => {
    await using at = await openPlace('echo two >> a.txt');
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
    writeFileSync(join(at.origin, 'big.bin'), pointer);
    at.git(at.origin, 'add', '-A');
    at.git(at.origin, 'commit', '-q', '-m', 'A large file');
    writeFileSync(join(at.origin, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
    at.git(at.origin, 'add', '-A');
    at.git(at.origin, 'commit', '-q', '-m', 'Attributes');
    at.clone();
    at.git(at.workspace, 'config', 'filter.lfs.smudge', 'no-such-program-lfs smudge -- %f');
    at.git(at.workspace, 'config', 'filter.lfs.clean', 'no-such-program-lfs clean -- %f');
    const { copy } = await at.start();
    expect(readFileSync(join(copy.path, 'big.bin'), 'utf8')).toBe(pointer);
    expect(copy).toMatchObject({ state: 'changed', changes: 1 });
    expect((await at.klaus('merge', copy.session)).code).toBe(0);
    expect(at.git(at.workspace, 'show', 'HEAD:big.bin')).toBe(pointer.trimEnd());
    expect(existsSync(copy.path)).toBe(false);
  },
);
