import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git as the user does, in a folder. Throws when it fails. */
export type Git = (folder: string, ...words: string[]) => string;

export function createGit(env: Readonly<Record<string, string>>): Git {
  const own = ['user.name=User', 'user.email=user@localhost', 'gc.auto=0', 'protocol.file.allow=always'];
  return (folder, ...words) =>
    execFileSync('git', [...own.flatMap((one) => ['-c', one]), ...words], {
      cwd: folder,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Three commits, a second branch, a tag, a stash and a note. */
function createRepository(git: Git, at: string, ...init: string[]): void {
  mkdirSync(at, { recursive: true });
  git(at, 'init', '-q', '-b', 'main', ...init);
  for (const text of ['one', 'two', at]) {
    write(join(at, 'work.txt'), `${text}\n`);
    git(at, 'add', '-A');
    git(at, 'commit', '-qm', text);
  }
  git(at, 'branch', 'side', 'HEAD~1');
  git(at, 'tag', '-a', 'v1', '-m', 'v1', 'HEAD~1');
  git(at, 'notes', 'add', '-m', 'a note');
  write(join(at, 'work.txt'), 'stashed\n');
  git(at, 'stash', 'push', '-q');
  write(join(at, 'staged.txt'), `staged in ${at}\n`);
  git(at, 'add', 'staged.txt');
}

/** Kinds of repositories, each built at a path that does not exist. The user has objects there that are nowhere else. */
export const SHAPES: Readonly<Record<string, (git: Git, at: string) => void>> = {
  loose: createRepository,
  packed(git, at) {
    createRepository(git, at);
    git(at, 'gc', '-q');
  },
  'commits in the reflog alone'(git, at) {
    createRepository(git, at);
    git(at, 'stash');
    git(at, 'reset', '-q', '--hard', 'HEAD~2');
  },
  'objects that nothing names'(git, at) {
    createRepository(git, at);
    write(join(at, 'dangling.txt'), `dangling in ${at}\n`);
    git(at, 'hash-object', '-w', 'dangling.txt');
  },
  unborn(git, at) {
    mkdirSync(at, { recursive: true });
    git(at, 'init', '-q', '-b', 'main');
    write(join(at, 'staged.txt'), `staged in ${at}\n`);
    git(at, 'add', 'staged.txt');
    write(join(at, 'dangling.txt'), `dangling in ${at}\n`);
    git(at, 'hash-object', '-w', 'dangling.txt');
  },
  'detached HEAD'(git, at) {
    createRepository(git, at);
    git(at, 'checkout', '-q', '--detach', 'side');
  },
  bare(git, at) {
    createRepository(git, `${at}-source`);
    git(dirname(at), 'clone', '-q', '--bare', `${at}-source`, at);
  },
  'linked worktree beside it'(git, at) {
    createRepository(git, at);
    git(at, 'worktree', 'add', '-q', `${at}-tree`, 'side');
  },
  'linked worktree in it'(git, at) {
    createRepository(git, at);
    git(at, 'worktree', 'add', '-q', join(at, 'tree'), 'side');
  },
  'with a submodule'(git, at) {
    createRepository(git, `${at}-source`);
    createRepository(git, at);
    git(at, 'submodule', '--quiet', 'add', `${at}-source`, 'deps/sub');
    git(at, 'commit', '-qm', 'submodule');
    write(join(at, 'deps/sub/more.txt'), 'more\n');
    git(join(at, 'deps/sub'), 'add', '-A');
    git(join(at, 'deps/sub'), 'commit', '-qm', 'unpushed');
  },
  'with a repository in it'(git, at) {
    createRepository(git, at);
    createRepository(git, join(at, 'inner'));
  },
  'objects borrowed from another'(git, at) {
    createRepository(git, `${at}-source`);
    git(dirname(at), 'clone', '-q', '--shared', `${at}-source`, at);
    write(join(at, 'own.txt'), 'own\n');
    git(at, 'add', '-A');
    git(at, 'commit', '-qm', 'own');
  },
  shallow(git, at) {
    createRepository(git, `${at}-source`);
    git(dirname(at), 'clone', '-q', '--depth=1', `file://${at}-source`, at);
    write(join(at, 'own.txt'), 'own\n');
    git(at, 'add', '-A');
    git(at, 'commit', '-qm', 'own');
  },
  'hook and settings of the user'(git, at) {
    createRepository(git, at);
    write(join(at, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 0\n');
    chmodSync(join(at, '.git/hooks/pre-commit'), 0o755);
    git(at, 'config', 'filter.x.clean', 'cat');
  },
  'large files beside the objects'(git, at) {
    createRepository(git, at);
    write(join(at, '.git/lfs/objects/aa/bb/aabb'), `large in ${at}\n`);
  },
  'SHA-256'(git, at) {
    createRepository(git, at, '--object-format=sha256');
  },
};
