import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import type { SandboxFixture } from '../sandbox.fixture.ts';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';

const search = await (async () => {
  using place = createSandboxFixture();
  return await findBubblewrap(place);
})();
const opened: SandboxFixture[] = [];
afterAll(() => opened.forEach((place) => place[Symbol.dispose]()));

const GIT = ['-c', 'user.name=A', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
const IDENTITY = 'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; ';

function git(folder: string, ...words: string[]): string {
  return execFileSync('git', [...GIT, ...words], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function openRepository(): SandboxFixture {
  const place = createSandboxFixture();
  opened.push(place);
  git(place.workspace, 'init', '-q', '-b', 'main');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\n');
  git(place.workspace, 'add', '-A');
  git(place.workspace, 'commit', '-qm', 'first');
  return place;
}

async function run(place: SandboxFixture, command: string, more: Partial<ExecRequest> = {}): Promise<ExecResult> {
  const masks = async () => listSecrets(place.workspace);
  const sandbox = await createSandbox({ ...place, choice: 'bubblewrap', masks });
  return sandbox.exec({ command, ...more });
}

function isSecretName(path: string): boolean {
  return /(^|\/)\.env(\.[a-z]+)?$|\.(env|secret)$/.test(path);
}

function listSecrets(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => isSecretName(path))
    .map((path) => join(folder, path));
}

/** Plants a program that leaves a mark when git runs it, as configuration. */
const EVIL = (mark: string) => `[core]\\n\\tfsmonitor = touch ${mark}; false\\n`;

describe.skipIf(!search.program)("git's own data", () => {
  test('ordinary work goes on', async () => {
    const place = openRepository();
    const result = await run(
      place,
      `${IDENTITY} set -e; echo two >> a.txt; git status -s; git add -A; git commit -qm second; git checkout -qb side;
       echo s > s; git add s; git commit -qm side; git checkout -q main; echo m > m; git add m; git commit -qm m;
       git merge -q -m merged side; git tag v1; echo w >> a.txt; git stash -q; git stash pop -q; git commit -qam w;
       git checkout -qb topic HEAD~1; echo t > t; git add t; git commit -qm t; git rebase -q main; git branch -qD side;
       git worktree add -q ../wt2 2>/dev/null || git worktree list >/dev/null; git gc -q; git fsck --no-progress; git log --format=%s -1`,
    );
    expect(result.output).toMatch(/t\n$/);
    expect(result.exitCode).toBe(0);
    expect(git(place.workspace, 'status', '-s')).toBe('');
    expect(result.warnings).toBeUndefined();
  });

  test.each([
    ['the configuration', 'git config core.fsmonitor "touch MARK; false"'],
    ['the configuration, written', 'printf "EVIL" >> .git/config'],
    ['a new .git', 'mv .git old; mkdir .git && cp -r old/* .git && printf "EVIL" >> .git/config'],
    ['a removed .git', 'rm -rf .git; git init -q .; printf "EVIL" >> .git/config'],
    [
      'commondir',
      'mkdir evil; cp -r .git/objects .git/refs evil; printf "EVIL" > evil/config; echo ../evil > .git/commondir',
    ],
    ['a hook', 'printf "#!/bin/sh\\ntouch MARK\\n" > .git/hooks/post-index-change; chmod +x .git/hooks/*'],
    [
      'the hooks folder',
      'mv .git/hooks x; mkdir .git/hooks; printf "#!/bin/sh\\ntouch MARK\\n" > .git/hooks/post-index-change; chmod +x .git/hooks/*',
    ],
    ['config.worktree', 'printf "EVIL" > .git/config.worktree; git config extensions.worktreeConfig true'],
    ['a nested repository', 'git init -q sub; printf "EVIL" >> sub/.git/config'],
    ['a nested bare one', 'git init -q --bare sub; printf "EVIL\\tbare=false\\n\\tworktree=..\\n" >> sub/config'],
    [
      'a nested hook',
      'git init -q sub; printf "#!/bin/sh\\ntouch MARK\\n" > sub/.git/hooks/post-index-change; chmod +x sub/.git/hooks/*',
    ],
    ['a .git file', 'mkdir sub; cp -r .git x; printf "EVIL" >> x/config; echo "gitdir: ../x" > sub/.git'],
    ['a .git symlink', 'mkdir sub; cp -r .git x; printf "EVIL" >> x/config; ln -s ../x sub/.git'],
    [
      'a .git file that leads out',
      'mkdir sub; cp -r .git "$HOME/x"; printf "EVIL" >> "$HOME/x/config"; echo "gitdir: $HOME/x" > sub/.git',
    ],
  ])('%s cannot be planted', async (_, attack) => {
    for (const hasHooks of [true, false]) {
      const place = openRepository();
      const mark = join(place.root, 'ran');
      if (!hasHooks) rmSync(join(place.workspace, '.git/hooks'), { recursive: true });
      await run(place, attack.replaceAll('EVIL', EVIL(mark)).replaceAll('MARK', mark));
      for (const folder of [place.workspace, join(place.workspace, 'sub')]) {
        if (!existsSync(folder)) continue;
        writeFileSync(join(folder, 'a.txt'), 'changed\n');
        for (const words of [['status'], ['add', 'a.txt'], ['diff']]) spawnSync('git', words, { cwd: folder });
      }
      expect(existsSync(mark)).toBe(false);
      expect(existsSync(join(place.workspace, '.git/hooks')), 'no litter').toBe(hasHooks);
      expect(existsSync(join(place.workspace, '.git/commondir'))).toBe(false);
      expect(existsSync(join(place.workspace, '.klaus'))).toBe(false);
    }
  });

  test('a workspace without git gets no teeth either, and an ordinary new repository is left as it is', async () => {
    const place = createSandboxFixture();
    opened.push(place);
    const mark = join(place.root, 'ran');
    const evil = await run(place, `git init -q .; printf "${EVIL(mark)}[user]\\n\\tname = A B\\n" >> .git/config`);
    expect(evil.warnings).toEqual([expect.stringContaining('core.fsmonitor')]);
    expect(git(place.workspace, 'config', '--local', 'user.name')).toBe('A B\n');
    git(place.workspace, 'status');
    expect(existsSync(mark)).toBe(false);
    const plain = await run(
      place,
      'git init -q sub && cd sub && git config user.name B && git remote add o https://e.org/x',
    );
    expect(plain).toMatchObject({ exitCode: 0 });
    expect(plain.warnings).toBeUndefined();
    expect(git(join(place.workspace, 'sub'), 'config', 'remote.o.url')).toBe('https://e.org/x\n');
  });

  test('submodules and linked worktrees keep their configuration, and git works in them', async () => {
    const place = openRepository();
    const other = openRepository();
    git(place.workspace, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.workspace, 'mod');
    git(place.workspace, 'commit', '-qm', 'mod');
    const tree = { ...place, workspace: join(place.root, 'tree') };
    git(place.workspace, 'worktree', 'add', '-q', tree.workspace);
    const mark = join(place.root, 'ran');
    const inside = await run(
      place,
      `${IDENTITY} (cd mod && echo x >> a.txt && git commit -qam sub && git log -1 --format=%s);
       printf "${EVIL(mark)}" >> .git/modules/mod/config; perl -e 'rename ".git/modules", "old"; rename ".git/worktrees", "w"';
       echo ../../../e > .git/worktrees/tree/commondir; printf "gitdir: e" > mod/.git`,
    );
    expect(inside.stdout).toBe('sub\n');
    const linked = await run(
      tree,
      `${IDENTITY} echo y >> a.txt; git commit -qam tree && git log -1 --format=%s;
       printf "${EVIL(mark)}" >> ${place.workspace}/.git/config; touch ${place.workspace}/a.txt ${place.workspace}/new`,
    );
    expect(linked.stdout).toBe('tree\n');
    for (const folder of [place.workspace, join(place.workspace, 'mod'), tree.workspace]) git(folder, 'status');
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(place.workspace, 'new'))).toBe(false);
    expect(git(tree.workspace, 'log', '-1', '--format=%s')).toBe('tree\n');
  });

  test('a .git file that names a repository of somebody else opens nothing', async () => {
    const place = createSandboxFixture();
    const other = openRepository();
    opened.push(place);
    writeFileSync(join(place.workspace, '.git'), `gitdir: ${other.workspace}/.git\n`);
    expect((await run(place, `ls ${other.workspace}/.git`)).exitCode).not.toBe(0);
  });

  test('places of the caller, there or not', async () => {
    const place = openRepository();
    mkdirSync(join(place.workspace, '.claude'));
    const protect = ['.claude', '.cursor', '.vscode/tasks.json', 'a.txt'].map((name) => join(place.workspace, name));
    const result = await run(
      place,
      'echo x > .claude/settings.json; echo x > .cursor/rules; mkdir -p .vscode; echo x > .vscode/tasks.json; echo x > a.txt; mkdir .klaus/x; echo free > b',
      { protect },
    );
    expect(result.exitCode).toBe(0);
    expect(readdirSync(place.workspace).sort()).toEqual(['.claude', '.git', 'a.txt', 'b']);
    expect(readdirSync(join(place.workspace, '.claude'))).toEqual([]);
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
    expect((await run(place, 'echo x > .claude/settings.json')).exitCode).toBe(0);
  });

  test('what Klaus keeps inside the workspace is not shown by protecting a repository in it', async () => {
    const place = openRepository();
    const home = join(place.workspace, '.state');
    mkdirSync(join(home, 'store'), { recursive: true });
    git(join(home, 'store'), 'init', '-q');
    writeFileSync(join(home, 'store/.git/description'), 'S3CRET');
    const result = await run({ ...place, home }, 'cat .state/store/.git/description; ls -R .state');
    expect(result.output).not.toContain('S3CRET');
    expect(result.stdout).not.toContain('store');
  });

  test('hooks that the configuration names in the project are held', async () => {
    const place = openRepository();
    git(place.workspace, 'config', 'core.hooksPath', 'hooks');
    git(place.workspace, 'config', 'include.path', '../shared.gitconfig');
    mkdirSync(join(place.workspace, 'hooks'));
    await run(place, 'echo x > hooks/pre-commit; echo x > shared.gitconfig');
    expect(readdirSync(join(place.workspace, 'hooks'))).toEqual([]);
    expect(existsSync(join(place.workspace, 'shared.gitconfig'))).toBe(false);
  });
});

describe.skipIf(!search.program)('secret files', () => {
  test('folders and many files', async () => {
    const place = createSandboxFixture();
    opened.push(place);
    const at = (path: string) => join(place.workspace, path);
    mkdirSync(at('many'));
    mkdirSync(at('vault.secret'));
    writeFileSync(at('vault.secret/token'), 'S3CRET');
    writeFileSync(at('.env'), 'S3CRET');
    for (let n = 0; n < 150; n++) writeFileSync(at(`many/${n}.env`), 'S3CRET');
    const result = await run(
      place,
      'cat .env many/* vault.secret/*; grep -r S3CRET .; ls many vault.secret; echo x > vault.secret/y',
    );
    expect(result.stdout).not.toContain('S3CRET');
    expect(result.warnings).toEqual([expect.stringContaining(at('many'))]);
  });

  test('one that appears, or is replaced by renaming, is hidden while a command runs', async () => {
    const place = createSandboxFixture();
    opened.push(place);
    const at = (path: string) => join(place.workspace, path);
    writeFileSync(at('.env'), 'S3CRET');
    mkdirSync(at('deep'));
    const loop = `while [ ! -e stop ]; do cat .env .env.local deep/.env 2>/dev/null; echo .; sleep 0.01; done; echo end`;
    let isChanged = false;
    let quiet = 0;
    const result = await run(place, `sleep 1.3; ${loop}`, {
      onOutput: (chunk) => {
        quiet = String(chunk).includes('S3CRET') ? 0 : quiet + 1;
        if (!isChanged) {
          isChanged = true;
          writeFileSync(at('.env.new'), 'S3CRET');
          renameSync(at('.env.new'), at('.env'));
          writeFileSync(at('.env.local'), 'S3CRET');
          writeFileSync(at('deep/.env'), 'S3CRET');
        }
        // Reached only when all three are hidden: what was read in the moment before is the stated rest.
        if (quiet > 30) writeFileSync(at('stop'), '');
      },
    });
    expect(result.exceeded).toBeUndefined();
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout.endsWith('end\n')).toBe(true);
    expect(result.exceeded).toBeUndefined();
  });

  test('when hiding fails the command is ended', async () => {
    const place = openRepository();
    // Inside there is another folder in its place, without this file.
    const objects = readdirSync(join(place.workspace, '.git/objects'), { recursive: true, encoding: 'utf8' });
    const hidden = join(
      place.workspace,
      '.git/objects',
      objects.find((path) => /^..\/./.test(path))!,
    );
    const found: string[] = [];
    const masks = () => Promise.resolve(found);
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap', masks });
    const result = await sandbox.exec({ command: 'echo begun; sleep 60', onOutput: () => void found.push(hidden) });
    expect(result.exceeded).toEqual([expect.stringMatching(/^masks: .*No such file/)]);
    expect(result).toMatchObject({ timedOut: false });
    expect(result.durationMs).toBeLessThan(30_000);
  });
});

describe.skipIf(!search.program)("a folder in the workspace's place", () => {
  test('is shown at its path, with masks and protected places', async () => {
    const place = openRepository();
    writeFileSync(join(place.workspace, '.env'), 'S3CRET');
    const copy = join(place.root, 'copy');
    execFileSync('cp', ['-a', place.workspace, copy]);
    const result = await run(place, 'pwd; cat .env; echo new > made; git config a.b c; git status -s; ls -d ' + copy, {
      workspaceAt: copy,
    });
    expect(result.stdout).toBe(`${place.workspace}\n?? .env\n?? made\n`);
    expect(existsSync(join(place.workspace, 'made'))).toBe(false);
    expect(readFileSync(join(copy, 'made'), 'utf8')).toBe('new\n');
    expect(spawnSync('git', ['config', 'a.b'], { cwd: copy }).status).not.toBe(0);
    expect(readdirSync(join(copy, '.git'))).toEqual(readdirSync(join(place.workspace, '.git')));
  });

  test('must be a folder; the host refuses it', async () => {
    const place = openRepository();
    await expect(run(place, 'true', { workspaceAt: join(place.root, 'nowhere') })).rejects.toMatchObject({
      code: 'usage',
    });
    const host = await createSandbox({ ...place, choice: 'host' });
    await expect(host.exec({ command: 'true', workspaceAt: place.root })).rejects.toMatchObject({
      code: 'sandbox.unavailable',
    });
  });
});

test.skipIf(!search.program)('commands side by side hold the same places, and each begins and ends well', async () => {
  const place = openRepository();
  const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
  const lane = async (length: number): Promise<(number | null)[]> => {
    const codes: (number | null)[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const { exitCode } = await sandbox.exec({
        command: `i=0; while [ $i -lt ${length} ]; do i=$((i+1)); done; git status`,
      });
      codes.push(exitCode);
    }
    return codes;
  };
  const codes = await Promise.all([lane(1), lane(2_000), lane(9_000)]);
  expect(codes.flat().filter((code) => code !== 0)).toEqual([]);
  expect(existsSync(join(place.workspace, '.git/commondir'))).toBe(false);
  expect(existsSync(join(place.workspace, '.klaus'))).toBe(false);
});
