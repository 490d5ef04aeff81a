import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import type { EscapeCase } from './case.ts';
import { git, useGit } from './world.ts';
import type { World } from './world.ts';

const BOTH: readonly ControlName[] = ['protected-places', 'neutralized-repositories'];

/** A setting by which git runs `touch MARK`. */
function setting(world: World, key: 'fsmonitor' | 'pager' | 'filter' | 'hooksPath' = 'fsmonitor'): string {
  if (key === 'filter') return `[filter "x"]\\n\\tclean = touch ${world.mark}; cat\\n`;
  if (key === 'hooksPath') return `[core]\\n\\thooksPath = ${world.workspace}/h\\n`;
  return `[core]\\n\\t${key} = touch ${world.mark}; cat\\n`;
}

const hook = (world: World, folder: string, name = 'pre-commit') =>
  `mkdir -p ${folder}; printf '#!/bin/sh\\ntouch ${world.mark}\\n' > ${folder}/${name}; chmod +x ${folder}/${name}`;

/** What is planted must not run when the user works with git in the folders. */
function plants(
  name: string,
  attack: (world: World) => string,
  more: Partial<EscapeCase> & { folder?: string } = {},
): EscapeCase {
  const { folder, ...rest } = more;
  return {
    name: `git: ${name}`,
    without: BOTH,
    program: 'git',
    attack,
    harmed: (world) => useGit(world, folder === undefined ? world.workspace : join(world.workspace, folder)),
    ...rest,
  };
}

const MOVE = "perl -e 'rename q(.git), q(old)'; mkdir -p .git; cp -r old/. .git;";

const own: EscapeCase[] = [
  plants('core.fsmonitor by git config', (world) => `git config core.fsmonitor "touch ${world.mark}; false"`),
  plants('core.fsmonitor by writing', (world) => `printf '${setting(world)}' >> .git/config`),
  plants(
    'the configuration replaced by renaming',
    (world) => `cp .git/config x; printf '${setting(world)}' >> x; mv -f x .git/config`,
  ),
  plants(
    'the configuration replaced by a symlink',
    (world) => `cp .git/config x; printf '${setting(world)}' >> x; rm -f .git/config; ln -s ../x .git/config`,
  ),
  plants('core.hooksPath', (world) => `${hook(world, 'h')}; git config core.hooksPath ${world.workspace}/h`),
  plants(
    'core.hooksPath by an include',
    (world) => `${hook(world, 'h')}; printf '${setting(world, 'hooksPath')}' > inc; git config include.path ../inc`,
  ),
  plants(
    'a filter and its attributes',
    (world) => `printf '${setting(world, 'filter')}' >> .git/config; echo '* filter=x' > .gitattributes`,
  ),
  plants(
    'a filter with attributes in info',
    (world) => `printf '${setting(world, 'filter')}' >> .git/config; echo '* filter=x' > .git/info/attributes`,
  ),
  plants('diff.external', (world) => `git config diff.external "touch ${world.mark}; true"`),
  plants(
    'a textconv',
    (world) => `git config diff.x.textconv "touch ${world.mark}; cat"; echo '*.txt diff=x' > .gitattributes`,
  ),
  plants(
    'gpg.program for every commit',
    (world) =>
      `git config gpg.program ${world.workspace}/h/g; git config commit.gpgsign true; ${hook(world, 'h', 'g')}`,
    {
      harmed: (world) => {
        try {
          git(world.workspace, '-c', 'commit.gpgsign=true', 'commit', '-q', '--allow-empty', '-m', 'x');
        } catch {
          // It has no key.
        }
        return existsSync(world.mark);
      },
    },
  ),
  plants('an alias', (world) => `git config alias.co '!touch ${world.mark}'`, {
    harmed: (world) => {
      try {
        git(world.workspace, 'co');
      } catch {
        // There is no such alias.
      }
      return existsSync(world.mark);
    },
  }),
  plants('a hook', (world) => hook(world, '.git/hooks')),
  plants('a hook where there was no hooks folder', (world) => hook(world, '.git/hooks'), {
    before: (world) => rmSync(join(world.workspace, '.git/hooks'), { recursive: true }),
  }),
  plants(
    'a hook by renaming the hooks folder',
    (world) => `perl -e 'rename q(.git/hooks), q(x)'; ${hook(world, '.git/hooks')}`,
  ),
  plants(
    'a hook through a symlink of the hooks folder',
    (world) => `${hook(world, 'h')}; rm -rf .git/hooks; ln -s ../h .git/hooks`,
  ),
  plants('the hook post-index-change', (world) => hook(world, '.git/hooks', 'post-index-change')),
  plants('a new .git in place of the old', (world) => `${MOVE} printf '${setting(world)}' >> .git/config`),
  plants('a new .git by git init', (world) => `rm -rf .git; git init -q .; printf '${setting(world)}' >> .git/config`),
  plants(
    '.git replaced by a file',
    (world) => `cp -r .git x; printf '${setting(world)}' >> x/config; rm -rf .git; echo 'gitdir: x' > .git`,
  ),
  plants(
    '.git replaced by a symlink',
    (world) => `cp -r .git x; printf '${setting(world)}' >> x/config; rm -rf .git; ln -s x .git`,
  ),
  plants(
    'commondir',
    (world) =>
      `mkdir e; cp -r .git/objects .git/refs e; cp .git/config e; printf '${setting(world)}' >> e/config; echo ../e > .git/commondir`,
  ),
  plants(
    'commondir by a symlink',
    (world) =>
      `mkdir e; cp -r .git/objects .git/refs e; cp .git/config e; printf '${setting(world)}' >> e/config; echo ../e > c; ln -sf ../c .git/commondir`,
  ),
  plants('config.worktree', (world) => `printf '${setting(world)}' > .git/config.worktree`, {
    before: (world) => git(world.workspace, 'config', 'extensions.worktreeConfig', 'true'),
  }),
  plants(
    'a bare repository around a broken .git',
    (world) =>
      `rm -f .git/HEAD; cp -r .git/objects .git/refs .; echo 'ref: refs/heads/main' > HEAD; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = w\\n${setting(world)}' > config; mkdir w`,
  ),
];

const nested: EscapeCase[] = [
  plants('a nested repository', (world) => `git init -q sub; printf '${setting(world)}' >> sub/.git/config`, {
    folder: 'sub',
  }),
  plants('a hook in a nested repository', (world) => `git init -q sub; ${hook(world, 'sub/.git/hooks')}`, {
    folder: 'sub',
  }),
  plants(
    'a nested bare repository',
    (world) =>
      `git init -q --bare sub; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = w\\n${setting(world)}' > sub/config; mkdir sub/w; cp .git/index sub`,
    { folder: 'sub' },
  ),
  plants(
    'a nested .git file that leads to a folder of the project',
    (world) => `mkdir sub; cp -r .git x; printf '${setting(world)}' >> x/config; echo 'gitdir: ../x' > sub/.git`,
    { folder: 'sub' },
  ),
  plants(
    // The home of commands has no such path on the host: only the workspace does.
    'a nested .git file with an absolute path',
    (world) =>
      `mkdir sub; cp -r .git x; printf '${setting(world)}' >> x/config; echo "gitdir: ${world.workspace}/x" > sub/.git`,
    { folder: 'sub' },
  ),
  plants(
    'a nested .git symlink',
    (world) => `mkdir sub; cp -r .git x; printf '${setting(world)}' >> x/config; ln -s ../x sub/.git`,
    { folder: 'sub' },
  ),
  plants(
    'a repository moved over one that was there',
    (world) => `mv sub old; git init -q sub; printf '${setting(world)}' >> sub/.git/config`,
    {
      folder: 'sub',
      before: (world) => {
        mkdirSync(join(world.workspace, 'sub'));
        git(join(world.workspace, 'sub'), 'init', '-q');
      },
    },
  ),
  plants("a nested repository's own configuration", (world) => `printf '${setting(world)}' >> sub/.git/config`, {
    folder: 'sub',
    before: (world) => {
      mkdirSync(join(world.workspace, 'sub'));
      git(join(world.workspace, 'sub'), 'init', '-q');
    },
  }),
  plants(
    'written in an unusual way',
    (world) => `git init -q sub; printf '[core] fsmonitor = "touch ${world.mark}; cat"\\n' >> sub/.git/config`,
    { folder: 'sub' },
  ),
  plants(
    'with a continued line',
    (world) =>
      `git init -q sub; printf '[core]\\n\\tfsmonitor = touch \\\\\\n ${world.mark}; cat\\n' >> sub/.git/config`,
    { folder: 'sub' },
  ),
  plants("a submodule's configuration", (world) => `printf '${setting(world)}' >> .git/modules/mod/config`, {
    folder: 'mod',
    before: addSubmodule,
  }),
  plants("a submodule's hook", (world) => hook(world, '.git/modules/mod/hooks'), {
    folder: 'mod',
    before: addSubmodule,
  }),
  plants(
    "a submodule's .git file",
    (world) =>
      `cp -r .git/modules/mod e; printf '${setting(world)}' >> e/config; sed -i '/worktree/d' e/config; printf '[core]\\n\\tworktree = ../mod\\n' >> e/config; echo 'gitdir: ../e' > mod/.git`,
    { folder: 'mod', before: addSubmodule },
  ),
  plants(
    'the folder of all submodules',
    (world) =>
      `perl -e 'rename q(.git/modules), q(.git/m)'; mkdir -p .git/modules; cp -r .git/m/. .git/modules; printf '${setting(world)}' >> .git/modules/mod/config`,
    { folder: 'mod', before: addSubmodule },
  ),
  plants(
    "a linked worktree's commondir",
    (world) =>
      `mkdir e; cp -r .git/objects .git/refs .git/HEAD e; cp .git/config e; printf '${setting(world)}' >> e/config; echo ${world.workspace}/e > .git/worktrees/tree/commondir`,
    {
      folder: '../tree',
      before: (world) => git(world.workspace, 'worktree', 'add', '-q', '../tree'),
    },
  ),
];

function addSubmodule(world: World): void {
  const other = join(world.root, 'other');
  mkdirSync(other);
  git(other, 'init', '-q');
  writeFileSync(join(other, 'a.txt'), 'x');
  git(other, 'add', '-A');
  git(other, 'commit', '-qm', 'x');
  git(world.workspace, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'mod');
}

const configuration: EscapeCase[] = [
  {
    name: "Klaus's own configuration in the project",
    without: BOTH,
    attack: () => 'mkdir -p .klaus; echo x > .klaus/config.json',
    harmed: (world) => existsSync(join(world.workspace, '.klaus/config.json')),
  },
  {
    name: 'a place that the caller named: an agent’s hooks',
    without: BOTH,
    request: (world) => ({ protect: [join(world.workspace, '.claude')] }),
    attack: () => 'mkdir -p .claude; echo x > .claude/settings.json',
    harmed: (world) => existsSync(join(world.workspace, '.claude/settings.json')),
  },
  {
    name: 'a place that the caller named, by renaming a folder over it',
    without: BOTH,
    before: (world) => mkdirSync(join(world.workspace, '.claude')),
    request: (world) => ({ protect: [join(world.workspace, '.claude')] }),
    attack: () => "mkdir x; echo x > x/settings.json; perl -e 'rename q(.claude), q(y); rename q(x), q(.claude)'",
    harmed: (world) => existsSync(join(world.workspace, '.claude/settings.json')),
  },
];

/** What the user's next git, Klaus or agent would obey. */
export const gitCases: readonly EscapeCase[] = [...own, ...nested, ...configuration];
