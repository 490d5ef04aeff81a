import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Chance } from '../undo/chance.ts';
import { run, runProgram, type AttackCase, type AttackClass } from './case.ts';
import type { Scene } from './scene.ts';

const FOLDERS = [
  'node_modules/left-pad',
  'node_modules/.cache/x',
  'target/debug',
  '.venv/lib',
  '__pycache__/x',
  'vendor/lib',
  'src',
  'a/b/c/d/e/f/g/h/i',
  'deep/node_modules/deep/target',
  '.hidden/x',
  'dist',
  'build/.git-backup/x',
];

/** Ways to say what runs. Each names a program at `MARK`. */
const ARMS: Readonly<Record<string, (mark: string) => string>> = {
  fsmonitor: (mark) => `git -C "$R" config core.fsmonitor 'touch ${mark}; false'`,
  'fsmonitor by hand': (mark) => `printf '[core]\\n\\tfsmonitor = "touch ${mark}; false"\\n' >> "$G/config"`,
  sshCommand: (mark) =>
    `git -C "$R" config core.fsmonitor 'touch ${mark}'; git -C "$R" config core.sshCommand 'touch ${mark}'`,
  include: (mark) =>
    `printf '[core]\\n\\tfsmonitor = "touch ${mark}; false"\\n' > "$R/extra.txt"; printf '[include]\\n\\tpath = ../extra.txt\\n' >> "$G/config"`,
  filter: (mark) =>
    `printf '[filter "x"]\\n\\tclean = touch ${mark}; cat\\n' >> "$G/config"; echo '* filter=x' > "$R/.gitattributes"`,
  'one line': (mark) => `printf '[core] fsmonitor = "touch ${mark}; false"\\n' >> "$G/config"`,
  worktree: (mark) =>
    `git -C "$R" config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = "touch ${mark}; false"\\n' > "$G/config.worktree"`,
  hook: (mark) =>
    `for h in pre-commit post-index-change post-checkout reference-transaction; do printf '#!/bin/sh\\ntouch ${mark}\\n' > "$G/hooks/$h"; chmod +x "$G/hooks/$h"; done`,
};

/** Ways to make a repository at `R`, with its git folder at `G`. */
const SHAPES: Readonly<Record<string, { make: string; git: (folder: string) => string }>> = {
  init: { make: 'git init -q "$R"', git: (folder) => `${folder}/.git` },
  moved: { make: 'git init -q "$R.tmp"; mkdir -p "$R"; mv "$R.tmp/.git" "$R/.git"', git: (folder) => `${folder}/.git` },
  clone: { make: 'rm -rf "$R"; git clone -q . "$R"', git: (folder) => `${folder}/.git` },
  'file to a folder beside it': {
    make: 'mkdir -p "$R"; git init -q --bare "$R/store"; git -C "$R/store" config core.bare false; printf "gitdir: store\\n" > "$R/.git"',
    git: (folder) => `${folder}/store`,
  },
  bare: { make: 'git init -q --bare "$R"', git: (folder) => folder },
  'module folder': {
    make: 'mkdir -p "$R" .git/modules; git init -q "$R.tmp"; rm -rf ".git/modules/m-$(basename "$R")"; mv "$R.tmp/.git" ".git/modules/m-$(basename "$R")"; echo "gitdir: $(pwd)/.git/modules/m-$(basename "$R")" > "$R/.git"',
    git: (folder) => `.git/modules/m-${folder.split('/').at(-1)}`,
  },
  'linked worktree': {
    make: 'git worktree add -q -f "$R" 2>/dev/null || git worktree add -q -f --detach "$R"; cp -r .git "$R-store" 2>/dev/null; echo "$(pwd)/$R-store" > ".git/worktrees/$(basename "$R")/commondir"',
    git: (folder) => `${folder}-store`,
  },
  symlink: {
    make: 'git init -q "$R"; mv "$R/.git" "$R/store"; ln -s store "$R/.git"',
    git: (folder) => `${folder}/store`,
  },
  'a name that is not UTF-8': {
    make: 'N="$(printf "$R/\\377")"; mkdir -p "$N"; git init -q "$N"; mkdir -p "$R"; ln -s "$N/.git" "$R/link"; git -C "$N" -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git update-index --add --cacheinfo "160000,$(git -C "$N" rev-parse HEAD),$N"',
    git: (folder) => `${folder}/link`,
  },
  'commondir elsewhere': {
    make: 'git init -q "$R"; cp -r "$R/.git" "$R/store"; echo ../store > "$R/.git/commondir"',
    git: (folder) => `${folder}/store`,
  },
};

function generate(chance: Chance, index: number): AttackCase {
  const base = chance.pick(FOLDERS);
  const wide = chance.percent(8);
  const folder = `${chance.percent(30) ? `${chance.pick(FOLDERS)}/` : ''}${base}/r${index}`;
  const arm = chance.pick(Object.keys(ARMS));
  const shape = chance.pick(Object.keys(SHAPES));
  const links = chance.percent(70);
  const program = chance.pick(['sh', 'py', 'js', 'inline'] as const);
  const splits = chance.percent(30);
  const startsOver = chance.percent(20);
  const { make, git } = SHAPES[shape]!;
  const variables = `R='${folder}'; G='${git(folder)}'`;
  const steps = (mark: string): string[] => [
    `${variables}; mkdir -p "$(dirname "$R")"; ${make}`,
    `${variables}; git -C "$R" -c user.name=a -c user.email=a@b commit -q --allow-empty -m x 2>/dev/null; true`,
    ...(links && shape !== 'bare'
      ? [
          `${variables}; git update-index --add --cacheinfo "160000,$(git -C "$R" rev-parse HEAD 2>/dev/null || git rev-parse HEAD),$R"; true`,
        ]
      : []),
    `${variables}; mkdir -p "$G/hooks"; ${ARMS[arm]!(mark)}`,
  ];
  return {
    name: `${arm} in ${shape} at ${folder}${links ? ', gitlink' : ''}${splits ? ', in steps' : ''}${wide ? ', many folders' : ''}`,
    files: { 'README.md': '# Test\n', 'a.txt': 'a\n' },
    before(scene) {
      if (wide) for (let at = 0; at < 700; at++) scene.write(`pkg/p${at}/index.js`, '1;\n');
      if (startsOver) scene.write(`${folder}/notes.txt`, 'x\n');
    },
    calls(scene) {
      const all = steps(scene.mark);
      const wrap = (lines: readonly string[], at: number) => toCalls(program, lines.join('\n'), at);
      return splits ? all.flatMap((line, at) => wrap([line], at)) : wrap(all, 0);
    },
    effects: (scene) => useGit(scene, folder),
  };
}

/** Calls that run these shell lines: in one command, or by a program in a file. */
function toCalls(program: 'sh' | 'py' | 'js' | 'inline', text: string, at: number) {
  const quoted = JSON.stringify(text);
  if (program === 'inline') return [run(text)];
  if (program === 'sh') return runProgram(`step${at}.sh`, text);
  if (program === 'py')
    return runProgram(`step${at}.py`, `import subprocess\nsubprocess.run(['sh', '-c', ${quoted}])\n`);
  return runProgram(`step${at}.js`, `require('node:child_process').execFileSync('sh', ['-c', ${quoted}]);\n`);
}

/** Works with git as the user would, at the top and inside. What was planted creates the mark when it runs. */
function useGit(scene: Scene, folder: string): string[] {
  const found: string[] = [];
  const use = (where: string, ...words: string[]): void => {
    scene.tryGit('-C', scene.path(where), ...words);
    if (!existsSync(scene.mark)) return;
    found.push(`git ${words.join(' ')} in ${where === '' ? 'the workspace' : where} ran what was planted`);
    rmSync(scene.mark);
  };
  scene.write('a.txt', 'changed\n');
  for (const where of ['', dirname(folder), folder])
    if (scene.has(where))
      for (const words of [['status'], ['add', '-A'], ['diff', 'HEAD'], ['commit', '-qm', 'work']])
        use(where, ...words);
  return found;
}

/** Repositories that a command creates or brings, so that the user's next git command runs a program. */
export const plantedRepositories: AttackClass = { name: 'planted-repositories', generate };
