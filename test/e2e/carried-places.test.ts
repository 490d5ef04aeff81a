// Covers core/agent/carried: protected places that commits, refs, the index and other data of git carry past the tree.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Event } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { toTagged } from '../fixtures/split-cases.ts';

const ID = '-c user.name=A -c user.email=a@localhost';
const WORKFLOW = '.github/workflows/ci.yml';
const sh = (command: string): ToolCall => ({ name: 'run_command', input: { command } });
const program = (name: string, text: string): ToolCall[] => [
  { name: 'write_file', input: { path: name, content: text } },
  sh(`sh ${name}`),
];

/** Writes a commit with a workflow by plumbing: `$c` is its id, `$b` that of its content. */
const PLUMBING = `
b=$(echo theirs | git hash-object -w --stdin)
export GIT_INDEX_FILE=/tmp/carried-index
git read-tree HEAD && git update-index --add --cacheinfo 100644,$b,${WORKFLOW}
t=$(git write-tree)
c=$(echo x | git ${ID} commit-tree $t -p HEAD)
unset GIT_INDEX_FILE
`;

/** Writes an index whose entries are those of HEAD, and whose cached trees have another workflow. */
const FORGE = `
import hashlib, os, struct, subprocess
def git(*words, data=None, **env):
    return subprocess.run(['git', *words], input=data, stdout=subprocess.PIPE, env={**os.environ, **env}).stdout.decode().strip()
blob = git('hash-object', '-w', '--stdin', data=b'theirs')
index = {'GIT_INDEX_FILE': '/tmp/forged-index'}
git('read-tree', 'HEAD', **index)
git('update-index', '--add', '--cacheinfo', '100644,' + blob + ',.github/workflows/theirs.yml', **index)
root = git('write-tree', **index)
ids = [bytes.fromhex(git('rev-parse', root + path)) for path in ('', ':.github', ':.github/workflows')]
data = open('.git/index', 'rb').read()
count, = struct.unpack('>I', data[8:12])
at = 12
for _ in range(count):
    length = struct.unpack('>H', data[at + 60:at + 62])[0] & 0xfff
    at += (62 + length + 8) // 8 * 8
trees = b'\\x00%d 1\\n' % count + ids[0] + b'.github\\x001 1\\n' + ids[1] + b'workflows\\x001 0\\n' + ids[2]
body = data[:at] + b'TREE' + struct.pack('>I', len(trees)) + trees
open('.git/index', 'wb').write(body + hashlib.sha1(body).digest())
`;

function git({ place }: TestEngine, ...words: string[]): string {
  const who = ['-c', 'user.name=User', '-c', 'user.email=user@localhost', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...who, ...words], { cwd: place.workspace, env: place.env, stdio: 'pipe' }).toString();
}

function write({ place }: TestEngine, path: string, text: string): void {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), text);
}

function read({ place }: TestEngine, path: string): string | undefined {
  const absolute = join(place.workspace, path);
  return existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined;
}

async function open(
  turns: readonly (readonly ToolCall[])[],
  files: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, unknown>> = {},
) {
  const steps: Script['steps'] = turns.map((calls, turn) => ({ when: { turn }, reply: { calls: [...calls] } }));
  return createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        ...steps,
        { when: { turn: turns.length }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', ...settings },
    files: { 'README.md': 'hello\n', 'src/a.txt': 'a\n', ...files },
  });
}

/** Runs a session. With answers, each question gets the next one; every question is counted. */
async function run({ klaus }: TestEngine, answers?: readonly ('approved' | 'rejected')[], workingCopy = false) {
  const session = await klaus.open({ workingCopy });
  const asked: string[] = [];
  const stop = session.subscribe(0, (event: Event) => {
    if (event.type !== 'approval.asked') return;
    asked.push(event.subject.kind === 'input' ? event.subject.message : event.title);
    void klaus.answer(event.approval, answers?.[asked.length - 1] ?? 'rejected');
  });
  await session.prompt('go', { onAsk: answers ? 'wait' : 'deny' });
  let result = await session.advance();
  while (result.state === 'parked') result = await session.advance();
  stop();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  const events = await Array.fromAsync(session.events());
  const notices = ofType(events, 'notice').filter(({ level }) => level === 'warn');
  return { session, events, asked, notices, reverts: ofType(events, 'workspace.restored') };
}

describe('new content at a protected place that git carries', () => {
  const carriers: Readonly<Record<string, string>> = {
    'a commit on the branch': `${PLUMBING}git update-ref refs/heads/main $c; git update-index --add --cacheinfo 100644,$b,${WORKFLOW}; git update-index --skip-worktree ${WORKFLOW}`,
    'a branch with names like those between parts of an output': `${PLUMBING}export GIT_INDEX_FILE=/tmp/odd-index; git read-tree $c; e=$(echo x | git hash-object -w --stdin); for n in "$(printf '\\001end\\001')" end 0end; do git update-index --add --cacheinfo 100644,$e,"$n"; done; o=$(echo x | git ${ID} commit-tree $(git write-tree) -p HEAD); git update-ref refs/heads/other $o`,
    'another branch': `${PLUMBING}git branch other $c`,
    'a packed branch': `${PLUMBING}git branch other $c; git pack-refs --all`,
    'a detached HEAD': `${PLUMBING}printf '%s\\n' $c > .git/HEAD`,
    'an annotated tag': `${PLUMBING}git ${ID} tag -a -m x v1 $c`,
    'a tag of a tree': `${PLUMBING}git tag v1 $t`,
    'a stash entry': `${PLUMBING}s=$(echo s | git ${ID} commit-tree $t -p HEAD -p HEAD); git ${ID} stash store -m x $s`,
    notes: `${PLUMBING}git update-ref refs/notes/commits $c`,
    'the index alone': `b=$(echo theirs | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,${WORKFLOW}`,
    'a reflog': `${PLUMBING}h=$(git rev-parse HEAD); printf '%s %s A <a@b> 0 +0000\\tcheckout: moving from %s to main\\n' $h $h $c >> .git/logs/HEAD`,
    'the steps of a rebase': `${PLUMBING}mkdir .git/rebase-merge; printf 'pick %s x\\n' $(git rev-parse --short $c) > .git/rebase-merge/git-rebase-todo`,
    'a branch that names a remote-tracking ref': `${PLUMBING}git update-ref refs/remotes/o/x $c; printf 'ref: refs/remotes/o/x\\n' > .git/refs/heads/other`,
    'a merge of a hidden parent': `${PLUMBING}m=$(echo m | git ${ID} commit-tree HEAD^{tree} -p HEAD -p $c); git update-ref refs/heads/main $m`,
    'a link to a folder': `mkdir -p payload/workflows; echo theirs > payload/workflows/ci.yml; git add payload; b=$(printf payload | git hash-object -w --stdin); git update-index --add --cacheinfo 120000,$b,.github; git ${ID} commit -qm x`,
    'the attributes of files': `b=$(echo '* filter=x -diff' | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,.gitattributes; git ${ID} commit -qm x`,
    'scripts of package.json': `b=$(echo '{"scripts":{"test":"theirs"}}' | git hash-object -w --stdin); git update-index --cacheinfo 100644,$b,package.json; git update-index --skip-worktree package.json; git ${ID} commit -qm x`,
    submodules: `b=$(printf '[submodule "x"]\\n\\tpath = x\\n\\turl = https://theirs.example\\n' | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,.gitmodules; git ${ID} commit -qm x`,
  };
  for (const { name, value: script, tags } of toTagged(carriers, 4)) {
    test(`${name} is reverted with a notice`, { tags }, async () => {
      await using engine = await open([program('step.sh', script)], {
        'package.json': '{"scripts":{"test":"mine"}}\n',
      });
      const head = git(engine, 'rev-parse', 'HEAD');
      const { events, notices } = await run(engine);
      expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'error']);
      expect(notices).toHaveLength(1);
      expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
      expect(git(engine, 'rev-parse', 'HEAD')).toBe(head);
      const refs = git(engine, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean);
      expect(refs.filter((ref) => !/^refs\/(?:klaus|remotes)\//.test(ref))).toEqual(['refs/heads/main']);
      expect(git(engine, 'ls-files', '-v')).not.toMatch(/^[a-zS]|^. \.git/m);
      expect(git(engine, 'ls-files', '-s', 'package.json')).toContain(
        git(engine, 'rev-parse', 'HEAD:package.json').trim(),
      );
      expect(read(engine, '.git/logs/HEAD')).not.toContain('moving from');
      expect(existsSync(join(engine.place.workspace, '.git/rebase-merge/git-rebase-todo'))).toBe(false);
    });
  }
});

describe("git's own data that leads elsewhere", () => {
  const cases: Readonly<Record<string, { script: string; file: string }>> = {
    'a replaced object': {
      script:
        'o=$(git rev-parse HEAD:src/a.txt); b=$(echo theirs | git hash-object -w --stdin); mkdir -p .git/refs/replace; echo $b > .git/refs/replace/$o',
      file: '.git/refs/replace',
    },
    'a packed replacement': {
      script:
        'o=$(git rev-parse HEAD:src/a.txt); b=$(echo theirs | git hash-object -w --stdin); git update-ref refs/replace/$o $b; git pack-refs --all',
      file: '.git/refs/replace',
    },
    grafts: { script: 'git rev-parse HEAD > .git/info/grafts', file: '.git/info/grafts' },
    'an excluded file': { script: 'mkdir -p .git/info; echo src >> .git/info/exclude', file: '.git/info/exclude' },
    'a remote outside of the configuration': {
      script: 'mkdir -p .git/remotes; echo "URL: http://127.0.0.1:9/x" > .git/remotes/origin',
      file: '.git/remotes/origin',
    },
    'a branch file with an address': {
      script: 'mkdir -p .git/branches; echo "http://127.0.0.1:9/x" > .git/branches/up',
      file: '.git/branches/up',
    },
    'a recorded resolution of a conflict': {
      script: 'mkdir -p .git/rr-cache/aa; echo theirs > .git/rr-cache/aa/postimage; echo x > .git/rr-cache/aa/preimage',
      file: '.git/rr-cache/aa/postimage',
    },
    'a patch of a series': {
      script: `mkdir -p .git/rebase-apply; printf 'diff --git a/${WORKFLOW} b/${WORKFLOW}\n--- /dev/null\n+++ b/${WORKFLOW}\n' > .git/rebase-apply/0002`,
      file: '.git/rebase-apply/0002',
    },
    'a shortened history': { script: 'git rev-parse HEAD > .git/shallow', file: '.git/shallow' },
  };
  for (const { name, value, tags } of toTagged(cases, 3)) {
    const { script, file } = value;
    test(`${name} is reverted`, { tags }, async () => {
      await using engine = await open([program('step.sh', script)]);
      const before = read(engine, file);
      git(engine, 'commit', '-q', '--allow-empty', '-m', 'two');
      const { events } = await run(engine);
      expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'error']);
      expect(git(engine, 'show', 'HEAD:src/a.txt')).toBe('a\n');
      expect(git(engine, 'for-each-ref', 'refs/replace')).toBe('');
      expect(git(engine, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
      if (!file.endsWith('replace')) expect(read(engine, file)).toBe(before);
      expect(ofType(events, 'notice').some(({ level }) => level === 'warn')).toBe(true);
    });
  }

  test('trees of the index that are not those of its entries are in no later commit', async () => {
    await using engine = await open(
      [[{ name: 'write_file', input: { path: 'forge.py', content: FORGE } }, sh('python3 forge.py')]],
      {
        [WORKFLOW]: 'mine\n',
      },
    );
    const { events, notices } = await run(engine);
    expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(notices).toHaveLength(1);
    git(engine, 'commit', '-q', '--allow-empty', '-m', 'mine');
    expect(git(engine, 'ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('theirs.yml');
  });

  test('flags of the index are cleared on protected and changed paths, also if the change comes later', async () => {
    const flags = `git update-index --assume-unchanged src/a.txt src/b.txt AGENTS.md; git update-index --skip-worktree src/c.txt; echo changed > src/a.txt`;
    await using engine = await open([program('step.sh', flags), [sh('echo changed > src/c.txt')]], {
      'AGENTS.md': 'mine\n',
      'src/b.txt': 'b\n',
      'src/c.txt': 'c\n',
    });
    const { notices } = await run(engine);
    expect(git(engine, 'ls-files', '-v')).toMatch(
      /^H AGENTS\.md\nH README\.md\nH src\/a\.txt\nh src\/b\.txt\nH src\/c\.txt$/m,
    );
    expect(notices).toHaveLength(2);
    expect(git(engine, 'status', '--porcelain')).toContain(' M src/c.txt');
  });

  test('a part of the checkout by an allowed command is kept and named', async () => {
    await using engine = await open(
      [program('step.sh', 'echo "/src/" > .git/info/sparse-checkout; git read-tree -mu HEAD')],
      { [WORKFLOW]: 'mine\n' },
    );
    git(engine, 'config', 'core.sparseCheckout', 'true');
    const { notices } = await run(engine);
    expect(notices.map(({ text }) => text).join()).toContain('sparse-checkout');
    expect(git(engine, 'ls-files', '-v')).toContain('S README.md');
  });
});

describe('what people do with git', () => {
  /** A bare repository as `origin`, and a clone of it with a new workflow. */
  function makeRemote(engine: TestEngine): void {
    git(engine, 'clone', '-q', '--bare', '.', 'origin.git');
    write(engine, '.git/info/exclude', 'origin.git\nother\n');
    git(engine, 'remote', 'add', 'origin', './origin.git');
    git(engine, 'fetch', '-q', 'origin');
    git(engine, 'branch', '-q', '-u', 'origin/main');
    git(engine, 'clone', '-q', 'origin.git', 'other');
    write(engine, `other/${WORKFLOW}`, 'upstream\n');
    write(engine, 'other/src/new.txt', 'new\n');
    git(engine, '-C', 'other', 'add', '-A');
    git(engine, '-C', 'other', 'commit', '-q', '-m', 'Upstream');
    git(engine, '-C', 'other', 'push', '-q', 'origin', 'HEAD:main');
    execFileSync('rm', ['-rf', join(engine.place.workspace, 'other')]);
  }
  function makeBranch(engine: TestEngine, name: string, text = 'mine\n'): void {
    git(engine, 'checkout', '-q', '-b', name);
    write(engine, WORKFLOW, text);
    git(engine, 'add', '-A');
    git(engine, 'commit', '-q', '-m', name);
    git(engine, 'checkout', '-q', 'main');
  }

  test('a pull that changes workflows is one question with the paths, and is kept', async () => {
    await using engine = await open([[sh('git pull -q')]]);
    makeRemote(engine);
    const { asked, events } = await run(engine, ['approved']);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(WORKFLOW);
    expect(asked[0]).not.toContain('src/new.txt');
    expect(read(engine, WORKFLOW)).toBe('upstream\n');
    expect(git(engine, 'status', '--porcelain')).toBe('');
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  });

  test('a pull that the user rejects, and one without a user, are reverted', async () => {
    for (const answers of [['rejected'], undefined] as const) {
      await using engine = await open([[sh('git pull -q')]]);
      makeRemote(engine);
      const head = git(engine, 'rev-parse', 'HEAD');
      const { asked, notices } = await run(engine, answers);
      expect(asked).toHaveLength(answers ? 1 : 0);
      expect(git(engine, 'rev-parse', 'HEAD')).toBe(head);
      expect(read(engine, WORKFLOW)).toBeUndefined();
      expect(git(engine, 'ls-files')).not.toContain(WORKFLOW);
      expect(notices).toHaveLength(1);
    }
  });

  test('a pull that was approved is not asked about again', async () => {
    await using engine = await open([
      [sh('git pull -q')],
      [sh('git checkout -q -b copy && git checkout -q main && git tag v1')],
      [
        sh(
          `git stash -q; git checkout -q HEAD~1 && git checkout -q main && git rm -q --cached ${WORKFLOW} && git add -A`,
        ),
      ],
    ]);
    makeRemote(engine);
    const { asked } = await run(engine, ['approved']);
    expect(asked).toHaveLength(1);
    expect(read(engine, WORKFLOW)).toBe('upstream\n');
    expect(git(engine, 'status', '--porcelain')).toBe('');
  });

  interface Quiet {
    prepare?: (engine: TestEngine) => void;
    turns: string[];
    /** The workflow after it. */
    text?: string;
    /** Of the gate. Default: none. */
    questions?: number;
  }
  const quiet: Readonly<Record<string, Quiet>> = {
    'a fetch': { prepare: makeRemote, turns: ['git fetch -q'] },
    "a checkout of the user's branch": {
      prepare: (engine) => makeBranch(engine, 'theme'),
      turns: ['git checkout -q theme'],
      text: 'mine\n',
    },
    "a file of the user's branch": {
      prepare: (engine) => makeBranch(engine, 'theme'),
      turns: [`git checkout -q theme -- ${WORKFLOW}`],
      text: 'mine\n',
    },
    // The gate asks about the rebase itself.
    "a rebase of the user's branch": {
      questions: 1,
      prepare(engine) {
        makeBranch(engine, 'theme');
        write(engine, 'src/more.txt', 'more\n');
        git(engine, 'add', '-A');
        git(engine, 'commit', '-q', '-m', 'More');
        git(engine, 'checkout', '-q', 'theme');
      },
      turns: [`git ${ID} rebase -q main`],
      text: 'mine\n',
    },
    'a cherry-pick and a merge': {
      prepare: (engine) => makeBranch(engine, 'theme'),
      turns: [`git ${ID} cherry-pick theme`, `git ${ID} merge -q --no-edit theme`],
      text: 'mine\n',
    },
    'a merge of what was fetched before': {
      prepare(engine) {
        makeRemote(engine);
        git(engine, 'fetch', '-q');
      },
      turns: ['git merge -q origin/main'],
      text: 'upstream\n',
    },
    'stash and pop in two turns': {
      prepare: (engine) => write(engine, WORKFLOW, 'uncommitted\n'),
      turns: [`git add -A && git ${ID} stash -q`, 'git stash pop -q'],
      text: 'uncommitted\n',
    },
    "a pop of the user's older stash": {
      prepare(engine) {
        for (const name of ['one', 'two']) {
          write(engine, name === 'one' ? WORKFLOW : 'src/b.txt', `${name}\n`);
          git(engine, 'stash', '-q', '-u');
        }
      },
      turns: ['git stash pop -q stash@{1}'],
      text: 'one\n',
    },
    "a commit of the user's uncommitted workflow": {
      prepare: (engine) => write(engine, WORKFLOW, 'uncommitted\n'),
      turns: ['git add -A', `git ${ID} commit -q -m all`],
      text: 'uncommitted\n',
    },
    'a revert of a commit': {
      prepare(engine) {
        makeBranch(engine, 'theme');
        git(engine, 'merge', '-q', '--ff-only', 'theme');
        write(engine, WORKFLOW, 'worse\n');
        git(engine, 'commit', '-q', '-a', '-m', 'Worse');
      },
      turns: [`git ${ID} revert --no-edit HEAD`],
      text: 'mine\n',
    },
    'ordinary commits, tags, branches and packing': {
      turns: [
        `echo b > src/b.txt && git add -A && git ${ID} commit -q -m b && git tag t && git branch b`,
        `git ${ID} commit -q --allow-empty -m c && git pack-refs --all && git gc -q`,
        `git checkout -q b && git merge -q main && git ${ID} notes add -m x`,
      ],
    },
  };
  for (const { name, value, tags } of toTagged(quiet, 4)) {
    const { prepare, turns, text, questions = 0 } = value;
    test(`${name} is no question, and nothing is reverted`, { tags }, async () => {
      await using engine = await open(turns.map((command) => [sh(command)]));
      prepare?.(engine);
      const { asked, events, reverts } = await run(engine, ['approved']);
      expect(asked).toHaveLength(questions);
      expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(turns.map(() => 'ok'));
      expect(reverts).toEqual([]);
      expect(read(engine, WORKFLOW)).toBe(text);
    });
  }
});

describe('submodules', () => {
  const SUB = 'lib';
  function makeSubmodule(engine: TestEngine): void {
    const origin = `${engine.place.home}-lib`;
    execFileSync('git', ['init', '-q', '-b', 'main', origin], { env: engine.place.env });
    git(engine, '-C', origin, 'commit', '-q', '--allow-empty', '-m', 'one');
    git(engine, 'submodule', '--quiet', 'add', origin, SUB);
    git(engine, 'commit', '-q', '-m', 'one');
    mkdirSync(join(origin, '.github/workflows'), { recursive: true });
    writeFileSync(join(origin, WORKFLOW), 'of the module\n');
    git(engine, '-C', origin, 'add', '-A');
    git(engine, '-C', origin, 'commit', '-q', '-m', 'two');
    git(engine, '-C', SUB, 'pull', '-q', 'origin', 'main');
    git(engine, 'commit', '-q', '-a', '-m', 'two');
    git(engine, 'checkout', '-q', 'HEAD~1');
    git(engine, 'submodule', '--quiet', 'update');
  }

  // The configuration of a submodule is read-only in the sandbox, so that `git submodule update` itself fails there.
  test('a checkout of the commit that the repository names is no question, and nothing is reverted', async () => {
    await using engine = await open([[sh('git checkout -q main && git -C lib checkout -q $(git rev-parse main:lib)')]]);
    makeSubmodule(engine);
    const { asked, events, reverts } = await run(engine, ['approved']);
    expect(asked).toEqual([]);
    expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(reverts).toEqual([]);
    expect(read(engine, `${SUB}/${WORKFLOW}`)).toBe('of the module\n');
  });

  test('a commit in one that the index or a commit names is judged like any other', async () => {
    const script = `cd lib; ${PLUMBING}\ncd ..; git update-index --cacheinfo 160000,$c,lib; git ${ID} commit -qm x`;
    await using engine = await open([program('step.sh', script.replaceAll('\\n', '\n'))]);
    makeSubmodule(engine);
    const head = git(engine, 'rev-parse', 'HEAD');
    const { notices } = await run(engine);
    expect(notices).toHaveLength(1);
    expect(git(engine, 'rev-parse', 'HEAD')).toBe(head);
    expect(git(engine, 'submodule', 'status')).toMatch(/^ /);
  });
});

describe('an approval', () => {
  test('covers the paths and refs that its question named, and nothing else', async () => {
    const plant = `echo x > .npmrc; ${PLUMBING}git branch other $c; git update-ref -d refs/tags/keep`;
    await using engine = await open(
      [[sh('git rebase -q HEAD; cp src/a.txt .envrc; git branch -D gone; sh plant.sh')]],
      { 'plant.sh': plant },
    );
    git(engine, 'branch', 'gone');
    git(engine, 'commit', '-q', '--allow-empty', '-m', 'kept');
    git(engine, 'tag', 'keep');
    git(engine, 'reset', '-q', '--hard', 'HEAD~1');
    const { asked } = await run(engine, ['approved', 'rejected']);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain('refs/heads/other');
    expect(asked[1]).not.toContain('.envrc');
    expect(read(engine, '.envrc')).toBe('a\n');
    expect(read(engine, '.npmrc')).toBeUndefined();
    expect(git(engine, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags')).toBe(
      'refs/heads/main\nrefs/tags/keep\n',
    );
  });

  test('of an edit covers its content in a commit, also in a later turn', async () => {
    const edit = { name: 'write_file', input: { path: WORKFLOW, content: 'approved\n' } };
    await using engine = await open([
      [edit],
      [sh(`git add -A && git ${ID} commit -q -m x && git checkout -q -b other && git tag t`)],
      [sh(`git checkout -q main~1 && git checkout -q main && git ${ID} commit -q --allow-empty -m y`)],
    ]);
    const { asked, reverts } = await run(engine, ['approved']);
    expect(asked).toHaveLength(1);
    expect(reverts).toEqual([]);
    expect(git(engine, 'show', `other:${WORKFLOW}`)).toBe('approved\n');
    expect(read(engine, WORKFLOW)).toBe('approved\n');
  });
});

test('undo --git covers replacements, lists that hide, flags, stash, notes and tags', async () => {
  const script = `o=$(git rev-parse HEAD:src/a.txt); b=$(echo theirs | git hash-object -w --stdin)
mkdir -p .git/refs/replace .git/info; echo $b > .git/refs/replace/$o
git rev-parse HEAD > .git/info/grafts; echo src >> .git/info/exclude; git rev-parse HEAD > .git/shallow
git ${ID} tag -a -m x t; git ${ID} notes add -m x; echo z > z; git add z; git ${ID} stash -q
git update-index --assume-unchanged src/a.txt; git ${ID} commit -q --allow-empty -m x; git checkout -q --detach`;
  const names = '.git/refs/replace .git/info/grafts .git/info/exclude .git/shallow';
  await using engine = await open([[sh(`git rebase -q HEAD; sh step.sh; git replace -l; ls ${names}`)]], {
    'step.sh': script,
  });
  const state = () => [
    git(engine, 'for-each-ref'),
    git(engine, 'ls-files', '-v'),
    read(engine, '.git/HEAD'),
    ...['grafts', 'exclude'].map((name) => read(engine, `.git/info/${name}`)),
    read(engine, '.git/shallow'),
  ];
  const before = state();
  const { session } = await run(engine, ['approved']);
  const after = state();
  for (const [at, one] of before.entries()) expect(after[at]).not.toEqual(one);
  const undone = await session.restore({ kind: 'undo', turn: 1, git: true }, { by: 'test' });
  expect(undone.done).toBe(true);
  expect(state()).toEqual(before);
});

describe('what a working copy publishes', () => {
  const branch = `${PLUMBING}git update-ref "$(git symbolic-ref HEAD)" $c`;

  test('has no new content of protected places', async () => {
    await using engine = await open([
      program(
        'step.sh',
        `${branch}; git update-index --add --cacheinfo 100644,$b,${WORKFLOW}; git update-index --skip-worktree ${WORKFLOW}`,
      ),
    ]);
    const { session } = await run(engine, undefined, true);
    await engine.klaus.copies.merge(session.id);
    expect(read(engine, WORKFLOW)).toBeUndefined();
    expect(git(engine, 'log', '--format=%H', '--all', '--', WORKFLOW)).toBe('');
    expect(read(engine, 'step.sh')).toContain('theirs');
  });

  test('is checked where no turn covers it: without states of the workspace', async () => {
    await using engine = await open([program('step.sh', branch)], {}, { 'undo.enabled': false });
    const { session } = await run(engine, undefined, true);
    for (const publish of ['merge', 'keep', 'pullRequest'] as const)
      await expect(engine.klaus.copies[publish](session.id)).rejects.toMatchObject({ code: 'copy.blocked' });
    expect(git(engine, 'log', '--format=%H', '--all', '--', WORKFLOW)).toBe('');
  });

  test('is refused while its index cannot be checked, with the command that helps', async () => {
    await using engine = await open([[sh('echo b > src/b.txt')]]);
    const { session } = await run(engine, undefined, true);
    const [copy] = await engine.klaus.copies.list();
    git(engine, '-C', copy!.path, 'update-index', '--split-index');
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject({
      code: 'copy.blocked',
      hint: expect.stringContaining('update-index --no-split-index'),
    });
    git(engine, '-C', copy!.path, 'update-index', '--no-split-index');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
    expect(read(engine, 'src/b.txt')).toBe('b\n');
  });
});
