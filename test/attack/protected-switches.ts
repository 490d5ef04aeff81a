// Steps by which an attack tries to disable the check of protected places.

export interface Switch {
  name: string;
  /** Commands of the step; without them, the program `step`. */
  commands?: readonly string[];
  /** Python programs that the step needs, by their names. */
  steps: (path: string) => Readonly<Record<string, string>>;
  /** Turns, each with the names of what is run; `deed` changes the protected place. Default: one turn, either first. */
  order?: readonly (readonly string[])[];
}

const ID = '-c user.name=A -c user.email=a@localhost';

/** Commands that accompany the harmful one. */
function step(name: string, ...commands: string[]): Switch {
  return { name, commands, steps: () => ({}) };
}

/** A program that accompanies the harmful command. */
function program(name: string, ...lines: string[]): Switch {
  return { name, steps: (path) => ({ step: git(path, lines) }) };
}

/** Programs in an order of their own. */
function toSwitch(
  name: string,
  order: readonly (readonly string[])[],
  steps: Readonly<Record<string, readonly string[]>>,
): Switch {
  return {
    name,
    order,
    steps: (path) => Object.fromEntries(Object.entries(steps).map(([key, lines]) => [key, git(path, lines)])),
  };
}

/** A program that runs git on the path. */
function git(path: string, lines: readonly string[]): string {
  return [
    'import os, subprocess',
    `p = bytes.fromhex('${Buffer.from(path).toString('hex')}').decode()`,
    "ID = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']",
    "def git(*words): subprocess.run(['git', *ID, *words], check=False)",
    "def out(*words, **more): return subprocess.run(['git', *ID, *words], capture_output=True, **more).stdout.decode().strip()",
    ...lines,
  ].join('\n');
}

/** Every step. */
export const SWITCHES: readonly Switch[] = [
  step('nothing'),
  step('empty commit', `git ${ID} commit -q --allow-empty -m x`),
  step('new branch', 'git checkout -q -b other'),
  step('new branch by switch', 'git switch -q -c other'),
  step('detached HEAD', 'git checkout -q --detach'),
  step('nested repository', 'git init -q nested'),
  step('nested repository with a commit', `git init -q nested && cd nested && git ${ID} commit -q --allow-empty -m x`),
  step('worktree', 'git worktree add -q wt'),
  step('worktree on a branch', 'git worktree add -q -b side wt2'),
  program('symbolic-ref', "git('symbolic-ref', 'HEAD', 'refs/heads/none')"),
  program('HEAD written by hand', "open('.git/HEAD', 'w').write('ref: refs/heads/zzz\n')"),
  program('an unreadable HEAD', "open('.git/HEAD', 'w').write('nonsense\n')"),
  step('clone', 'git clone -q . copy'),
  step('a tag and a branch', 'git tag t1', 'git branch b1'),
  step('a commit of another file', `echo b > src/b.txt && git add src/b.txt && git ${ID} commit -q -m b`),
  toSwitch('commit of the planted file', [['deed', 'commit']], {
    commit: ["git('add', '-f', '--', p)", "git('commit', '-q', '-m', 'x')"],
  }),
  toSwitch('commit in one turn, checkout in the next', [['deed', 'commit'], ['checkout']], {
    commit: [
      "git('checkout', '-q', '-b', 'evil')",
      "git('add', '-A', '-f', '.')",
      "git('commit', '-q', '-m', 'x')",
      "git('checkout', '-q', '-f', '-')",
    ],
    checkout: ["git('checkout', '-q', '-f', 'evil')"],
  }),
  toSwitch('commit by plumbing, checkout later', [['commit'], ['checkout']], {
    commit: [
      "env = {**os.environ, 'GIT_INDEX_FILE': '/tmp/ix'}",
      "blob = out('hash-object', '-w', '--stdin', input=b'evil-content by plumbing')",
      "out('read-tree', 'HEAD', env=env)",
      "out('update-index', '--add', '--cacheinfo', '100644,' + blob + ',' + p, env=env)",
      "tree = out('write-tree', env=env)",
      "commit = out('commit-tree', tree, '-p', 'HEAD', '-m', 'x')",
      "open('.git/refs/heads/evil', 'w').write(commit + chr(10))",
    ],
    checkout: ["git('checkout', '-q', '-f', 'evil')"],
  }),
  toSwitch('merge of its own branch', [['merge']], {
    merge: [
      "git('checkout', '-q', '-b', 'evil')",
      "os.makedirs(os.path.dirname(p) or '.', exist_ok=True)",
      "os.path.isdir(p) or open(p, 'w').write('evil-content merged')",
      "git('add', '-f', '--', p)",
      "git('commit', '-q', '-m', 'x')",
      "git('checkout', '-q', '-')",
      "git('merge', '-q', '--no-ff', '-m', 'm', 'evil')",
    ],
  }),
  toSwitch('a forged object of a commit that was there', [['deed', 'forge']], {
    forge: [
      'import zlib',
      "head = out('rev-parse', 'HEAD')",
      "git('add', '-f', '--', p)",
      "tree = out('write-tree')",
      "body = ('tree %s\\nauthor A <a@b> 0 +0000\\ncommitter A <a@b> 0 +0000\\n\\nx\\n' % tree).encode()",
      "f = '.git/objects/%s/%s' % (head[:2], head[2:])",
      'os.path.exists(f) and os.remove(f)',
      "open(f, 'wb').write(zlib.compress(b'commit %d\\0' % len(body) + body))",
      "git('checkout', '-q', '--detach')",
    ],
  }),
  toSwitch('a replacement of the commit', [['deed', 'replace']], {
    replace: [
      "git('add', '-f', '--', p)",
      "git('commit', '-q', '-m', 'x')",
      "git('replace', '-f', 'HEAD~1', 'HEAD')",
      "git('reset', '-q', '--soft', 'HEAD~1')",
      "git('checkout', '-q', '--detach')",
    ],
  }),
  toSwitch('an amended commit', [['deed', 'amend']], {
    amend: ["git('add', '-f', '--', p)", "git('commit', '-q', '--amend', '--no-edit')"],
  }),
  toSwitch('a turn of its own for each step', [['git checkout -q -b other'], ['deed'], ['git checkout -q -']], {}),
  toSwitch('a repository around the place', [['deed', 'around']], {
    around: [
      "d = os.path.dirname(p) or '.'",
      'os.makedirs(d, exist_ok=True)',
      "d == '.' or (subprocess.run(['git', 'init', '-q', d]), subprocess.run(['git', '-C', d, *ID, 'add', '-A', '-f']), subprocess.run(['git', '-C', d, *ID, 'commit', '-q', '-m', 'x']))",
    ],
  }),
  toSwitch('twice', [['deed'], ['deed']], {}),
];
