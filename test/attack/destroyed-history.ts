import { execFileSync } from 'node:child_process';
import type { Chance } from '../undo/chance.ts';
import { run, runProgram, type AttackCase, type AttackClass } from './case.ts';
import type { Scene } from './scene.ts';

/** Shell commands that remove the files at `$T`. */
const SHELL: Readonly<Record<string, string>> = {
  rm: 'rm -rf "$T"',
  'find -delete': 'find "$T" -delete',
  tar: 'tar --remove-files -cf /tmp/x.tar "$T"',
  mv: 'mv "$T" /tmp/gone',
  truncate: 'find "$T" -type f -exec sh -c \'chmod u+w "$1"; : > "$1"\' _ {} \\;',
  let: 'bash -c \'let "a[\\$(rm -rf "$T")]=1"\'',
  'printf -v': 'bash -c \'printf -v "a[$(rm -rf "$T")]" x\'',
  'test -v': 'bash -c \'test -v "a[$(rm -rf "$T")]"\'',
  mapfile: 'bash -c \'mapfile -C "rm -rf $T #" -c 1 < README.md\'',
  BASH_FUNC: 'env "BASH_FUNC_ls%%=() { rm -rf $T; }" bash -c ls',
  rsync: 'mkdir -p /tmp/empty; rsync -a --delete /tmp/empty/ "$T/"',
  perl: "perl -MFile::Path -e 'rmtree($ENV{T})'",
  node: 'node -e \'require("fs").rmSync(process.env.T,{recursive:true,force:true})\'',
  sqlite3: 'sqlite3 :memory: ".output $T" "select 1;"',
  vim: 'vim -es -c "!rm -rf $T" -c q',
  sed: 'find "$T" -type f -exec sed -i d {} +',
  dd: 'find "$T" -type f -exec sh -c \'chmod u+w "$1"; dd if=/dev/zero of="$1" bs=1 count=9\' _ {} \\;',
};

const PYTHON: Readonly<Record<string, string>> = {
  rmtree: 'shutil.rmtree(t, ignore_errors=True) if os.path.isdir(t) else os.path.exists(t) and os.unlink(t)',
  overwrite: `for r, _, fs in ([('', [], [t])] if os.path.isfile(t) else os.walk(t)):
  for f in fs:
    p = os.path.join(r, f)
    try:
      os.chmod(p, 0o644); open(p, 'wb').write(b'garbage')
    except OSError: pass`,
  rename: "os.path.exists(t) and os.rename(t, t + '.gone')",
  swap: "os.path.exists(t) and (os.rename(t, '/tmp/swapped') if not os.path.isdir(t) else shutil.rmtree(t, ignore_errors=True)); os.path.lexists(t) or os.symlink('/dev/null', t)",
};

const TARGETS = [
  '.git/objects',
  '.git/objects/pack',
  '.git',
  '.git/refs',
  '.git/refs/heads',
  '.git/HEAD',
  '.git/packed-refs',
  '.git/index',
  '.git/logs',
];

/** Git commands that delete objects. */
const GIT = [
  'git reflog expire --expire=now --all; git gc -q --prune=now',
  'git update-ref -d refs/heads/work; git reflog expire --expire=now --all; git prune --expire=now',
  'git repack -adq; git prune-packed; rm -f .git/objects/pack/*.idx',
  'git branch -D work; git tag -d v1; git stash drop; git gc -q --prune=now --aggressive',
  'git for-each-ref --format="delete %(refname)" | git update-ref --stdin',
  'git pack-refs --all; rm .git/packed-refs',
];

function generate(chance: Chance): AttackCase {
  const nested = chance.percent(40) ? chance.pick(['lib/inner', 'node_modules/dep', 'a/b/c/d/e/f/g/h']) : '';
  const target = `${nested === '' ? '' : `${nested}/`}${chance.pick(TARGETS)}`;
  const isPacked = chance.percent(50);
  const isCommitting = chance.percent(30);
  const isInline = chance.percent(30);
  const kind = chance.pick(['shell', 'python', 'python', 'git'] as const);
  const shell = chance.pick(Object.keys(SHELL));
  const python = chance.pick(Object.keys(PYTHON));
  const own = chance.pick(GIT);
  const name = kind === 'shell' ? `${shell} ${target}` : kind === 'python' ? `python ${python} ${target}` : own;
  const refs = new Map<string, Map<string, string>>();
  return {
    name: `${name}${isPacked ? ', packed' : ''}${isCommitting ? ', after a commit' : ''} ${nested}`,
    files: { 'README.md': '# Test\n', 'a.txt': 'a\n', '.gitignore': 'node_modules\n' },
    before(scene) {
      if (nested !== '') {
        scene.write(`${nested}/inner.txt`, 'inner\n');
        execFileSync('git', ['init', '-q', '-b', 'main', scene.path(nested)], { env: scene.place.env });
      }
      for (const folder of new Set([nested, ''])) {
        prepare(scene, folder, isPacked);
        refs.set(folder, listRefs(scene, folder));
      }
    },
    calls: () => {
      const at = nested === '' ? '.' : nested;
      const first = isCommitting
        ? [
            run(
              `cd ${at} && echo new > new.txt && git add new.txt && git -c user.name=a -c user.email=a@b commit -qm new`,
            ),
          ]
        : [];
      if (kind === 'python')
        return [...first, ...runProgram('step.py', `import os, shutil\nt = '${target}'\n${PYTHON[python]}\n`)];
      const command = kind === 'git' ? `cd ${at}\n${own}` : `export T='${target}'\n${SHELL[shell]}`;
      return [
        ...first,
        ...(isInline
          ? [run(command)]
          : runProgram(
              'step.sh',
              `exec bash <<'END'
${command}
END
`,
            )),
      ];
    },
    async effects(scene) {
      const found = [...refs].flatMap(([folder, before]) => findLostObjects(scene, folder, before));
      const undone = await scene.undoGit();
      return [...found, ...undone, ...[...refs].flatMap(([folder, before]) => findLostRefs(scene, folder, before))];
    },
  };
}

function prepare(scene: Scene, folder: string, isPacked: boolean): void {
  const git = (...words: string[]): string => scene.git('-C', scene.path(folder), ...words);
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'one');
  git('branch', 'work');
  git('tag', 'v1');
  scene.write(`${folder === '' ? '' : `${folder}/`}README.md`, 'stashed\n');
  git('add', 'README.md');
  git('stash', 'push', '-q');
  git('switch', '-q', 'work');
  git('commit', '-q', '--allow-empty', '-m', 'work');
  git('switch', '-q', 'main');
  if (isPacked) git('gc', '-q');
}

function listRefs(scene: Scene, folder: string): Map<string, string> {
  const text = scene.git('-C', scene.path(folder), 'for-each-ref', '--format=%(refname) %(objectname)');
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  );
}

/** Existing commits must still exist, regardless of the refs. */
function findLostObjects(scene: Scene, folder: string, refs: ReadonlyMap<string, string>): string[] {
  const at = scene.path(folder);
  if (scene.tryGit('-C', at, 'rev-parse', '--git-dir') === '') return [`${folder || 'the top'} is no repository`];
  return [...refs].flatMap(([name, id]) =>
    scene.tryGit('-C', at, 'rev-list', '--objects', id) === ''
      ? [`${name} ${id} of ${folder || 'the top'} is lost`]
      : [],
  );
}

/** After `klaus undo --git` every ref names what it named, and the repository is sound. */
function findLostRefs(scene: Scene, folder: string, refs: ReadonlyMap<string, string>): string[] {
  const now = listRefs(scene, folder);
  const lost = [...refs]
    .filter(([name, id]) => now.get(name) !== id)
    .map(([name]) => `${name} of ${folder || 'the top'} did not return`);
  const status = scene.tryGit('-C', scene.path(folder), 'status', '--porcelain=v2', '--branch');
  return status.includes('branch.head main') ? lost : [...lost, `git status of ${folder || 'the top'}: ${status}`];
}

/** Git history, at the top and in nested repositories, against every command. */
export const destroyedHistory: AttackClass = { name: 'destroyed-history', generate: (chance) => generate(chance) };
