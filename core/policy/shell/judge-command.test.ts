import { describe, expect, test } from 'vitest';
import type { HostFacts } from './host/host-facts.ts';
import { judgeCommand } from './judge-command.ts';

const judge = (line: string) => judgeCommand(line, { workspace: '/srv/project' });
const verdictOf = (line: string) => judge(line).verdict;

describe('stopped', () => {
  test.each<[rule: string, lines: string[]]>([
    [
      'shell:destroy',
      [
        'rm -rf .',
        'rm -rf *',
        'rm -r ..',
        'rm -rf /',
        'rm -rf ~',
        'rm -rf "$PWD"',
        'rm -rf src/..',
        'rm -rf $NOWHERE/*',
        'rm -rf .git',
      ],
    ],
    [
      'shell:destroy',
      [
        'cd src; rm -rf *',
        'ls | xargs rm -r',
        'find . -delete',
        'find . -type f -exec rm {} +',
        'for f in *; do rm -rf "$f"; done',
      ],
    ],
    [
      'shell:destroy',
      [
        'truncate -s 0 a.ts',
        'shred a.ts',
        'dd if=/dev/zero of=a.ts',
        'mkfs.ext4 x',
        'chmod -R 000 .',
        ...['chmod u+s x', 'chmod +s x', 'install -m 4755 x y'],
        'kill -9 -1',
        'pkill node',
        'mv src /tmp',
      ],
    ],
    [
      'shell:git',
      [
        'git push',
        'git push --force',
        'git reset --hard',
        'git clean -fdx',
        'git checkout -- .',
        'git restore .',
        'git branch -D x',
        'git stash clear',
        'git reflog expire --all',
        'git gc --prune=now',
        'git update-ref -d x',
      ],
    ],
    [
      'shell:git',
      [
        `git -c core.pager='sh evil' log`,
        'git config core.hooksPath hooks',
        'git config --global user.name x',
        'git fetch ext::sh',
        'git archive --remote=x HEAD',
      ],
    ],
    [
      'shell:secret',
      [
        'cat .env',
        'cat .e*',
        'cat .??v',
        'cat {.,}env .e{n,m}v',
        'grep -r x .env.local',
        'git show HEAD:.env',
        'git log -p -- .env',
        'cp .env a',
        'source .env',
        'base64 < .env',
        'cat ~/.ssh/id_rsa',
        'cat server.pem',
        'cat /proc/self/environ',
        'for f in .*; do cat "$f"; done',
      ],
    ],
    [
      'shell:place',
      [
        'echo x > .git/hooks/pre-commit',
        'cd .git/hooks && echo x > pre-commit',
        'cp x .vscode/tasks.json',
        'tee AGENTS.md < x',
        'echo x >> .bashrc',
        'sed -i s/a/b/ .github/workflows/ci.yml',
        'mkdir -p .claude/skills',
        'echo x > /etc/hosts',
        'ln -s /etc x',
        'ln -s .git/hooks h',
        'bash -c ":" > /dev/tcp/1.2.3.4/5',
      ],
    ],
    ['shell:place', ['patch -p1 <<E\n+++ b/.mcp.json\nE', `sed -i 's/"test": ".*"/"test": "x"/' package.json`]],
    [
      'shell:network',
      [
        'curl https://example.com',
        'wget example.com',
        'nc example.com 80',
        'ssh host ls',
        'scp a host:b',
        'rsync -a . host:x',
      ],
    ],
    [
      'shell:packages',
      [
        'npm install left-pad',
        'npm ci',
        'npm publish',
        'npx -y thing',
        'npx create-app',
        'pip install x',
        'python3 -m pip install x',
        'cargo install x',
        'docker run x',
        'npm pkg set scripts.test=x',
        'npm config set script-shell x',
      ],
    ],
    ['shell:privilege', ['sudo ls', 'mount x y', 'crontab -l', 'systemctl start x', 'unshare -r ls', 'setcap x y']],
    [
      'shell:environment',
      [
        'LD_PRELOAD=x ls',
        'PATH=.:$PATH ls',
        'export BASH_ENV=x',
        'env NODE_OPTIONS="--require ./x" node a.js',
        `GIT_SSH_COMMAND='sh x' git log`,
        'PAGER=./x git log',
      ],
    ],
    [
      'shell:code',
      [
        `python3 -c 'import os; os.system("ls")'`,
        `node -e 'require("child_process")'`,
        `perl -e 'unlink glob "*"'`,
        `python3 -c 'exec(input())'`,
        `awk 'BEGIN{system("ls")}'`,
        `echo x | sed 's/x/ls/e'`,
        `python3 -c "print(open('.e'+'nv').read())"`,
        `ruby -e 'File.delete("a")'`,
        `vim -c '!ls' x`,
      ],
    ],
  ])('by %s', (rule, lines) => {
    expect(lines.map((line) => [line, judge(line).rule])).toEqual(lines.map((line) => [line, rule]));
  });
});

test('permanent damage is denied, other effects are asked about', () => {
  expect(
    ['rm -rf .', 'rm -rf .git', 'git push --force', 'echo x > .git/config', ':(){ :|:& };:'].map(verdictOf),
  ).toEqual(Array(5).fill('deny'));
  expect(['git push', 'cat .env', 'npm install', 'sudo ls', '$x'].map(verdictOf)).toEqual(Array(5).fill('ask'));
});

test('deny wins over ask in any order', () => {
  expect(verdictOf('sudo ls; rm -rf .')).toBe('deny');
  expect(verdictOf('rm -rf .; sudo ls')).toBe('deny');
});

describe('allowed', () => {
  test.each([
    'rm -rf dist node_modules/.cache',
    'cd packages/core && rm -rf dist && npm run build',
    `find . -name '*.pyc' -delete`,
    'grep -rn "process.env" src',
    `grep '.env' .gitignore`,
    'echo .env >> .gitignore',
    '[ -f .env ] || cp .env.example config.txt',
    'cat .env.example',
    'git rm --cached .env',
    'git commit -m "Ignore .env; rm -rf dist in clean"',
    'git add .github/workflows/ci.yml && git commit -m ci',
    'cat AGENTS.md .vscode/settings.json',
    'git checkout -- src/a.ts',
    'curl -s http://localhost:3000/health',
    `python3 -c "import json; print(json.load(open('a.json'))['x'])"`,
    `node -e "console.log(require('./package.json').version)"`,
    `sed -i 's/one/e/' src/a.ts`,
    'NODE_OPTIONS=--max-old-space-size=4096 npm test',
    'PYTHONPATH=src pytest -q',
    'cat > a.sh <<"E"\nrm -rf /\nE',
    'for f in *.md; do wc -w "$f"; done',
    'npm test 2>&1 | tee /tmp/log | tail -5',
    'x=$(mktemp -d) && cp -r src "$x" && rm -rf "$x"',
  ])('%s', (line) => {
    expect(judge(line)).toMatchObject({ verdict: 'allow', rule: 'shell' });
  });
});

test('relative paths start at the current folder', () => {
  expect(judgeCommand('rm -rf *', { workspace: '/srv/project', cwd: '/srv/project/dist' }).verdict).toBe('allow');
  expect(judgeCommand('rm -rf ../*', { workspace: '/srv/project', cwd: '/srv/project/dist' }).verdict).toBe('deny');
});

test('a pattern that can match the workspace counts as the workspace, also below a temporary folder', () => {
  for (const line of ['rm -rf ../*', 'rm -rf ../p*', 'rm -rf /tmp/*', 'rm -rf /*', 'rm -rf ../../*/project'])
    expect([line, judgeCommand(line, { workspace: '/tmp/a/project' }).verdict]).toEqual([line, 'deny']);
  for (const line of ['rm -rf /tmp/build-*', 'rm -rf ../q*', 'ls ../*', 'rm -rf dist/*'])
    expect([line, judgeCommand(line, { workspace: '/tmp/a/project' }).verdict]).toEqual([line, 'allow']);
});

test('a working copy in the state folder is a workspace; what is beside it is state', () => {
  const workspace = '/home/me/.klaus/copies/project/copy';
  const links: Readonly<Record<string, string>> = { [`${workspace}/link`]: '/home/me/.klaus/config.yaml' };
  const host: HostFacts = {
    ...{ workspace, userHome: '/home/me', state: ['/home/me/.klaus'], readsRemote: false },
    ...{ files: new Map(), written: new Set(), code: new Map(), scripts: [], fetched: new Set(), local: new Set() },
    toReal: (path) => links[path] ?? path,
    exists: () => true,
    isNew: () => false,
    read: () => undefined,
  };
  const verdict = (line: string, folder = workspace): string =>
    judgeCommand(line, { workspace: folder, host: { ...host, workspace: folder } }).verdict;
  for (const line of ['cat README.md', 'echo x > made.txt', 'cat *.md', `cat ${workspace}/a`, 'cd src && cat ../a'])
    expect([line, verdict(line)]).toEqual([line, 'allow']);
  for (const line of ['cat ../other/a', 'cat ../../../config.yaml', 'cat ~/.klaus/klaus.db', 'cat link', 'cat ../*/a'])
    expect([line, verdict(line)]).toEqual([line, 'deny']);
  expect(verdict('cat config.yaml', '/home/me/.klaus')).toBe('deny');
});

test('git may write files, but not to protected places', () => {
  for (const line of [
    'git log --output=.git/hooks/pre-commit',
    'git diff --output .git/config',
    'git archive HEAD -o .git/hooks/x',
    'git format-patch -o .git/hooks HEAD~1',
    'git bundle create .git/hooks/x HEAD',
  ])
    expect([line, judge(line).rule]).toEqual([line, 'shell:place']);
  for (const line of [
    'git diff --output=x.patch',
    'git archive HEAD -o x.zip',
    'git ls-files -o',
    'git format-patch -o p x',
  ])
    expect([line, verdictOf(line)]).toEqual([line, 'allow']);
});

test('programs that reach other machines are allowed to read files and local services', () => {
  for (const line of [
    'terraform fmt -recursive',
    'terraform validate',
    'helm lint chart',
    'docker compose logs -f web',
  ])
    expect([line, verdictOf(line)]).toEqual([line, 'allow']);
  for (const line of ['terraform plan', 'helm install x y', 'helm template https://x.test/c.tgz', 'docker compose up'])
    expect([line, verdictOf(line)]).toEqual([line, 'ask']);
});

test("the user's own secret files", () => {
  expect(judgeCommand('cat config/prod.json', { workspace: '/w', secretPatterns: ['config/prod.*'] }).rule).toBe(
    'shell:secret',
  );
  expect(judgeCommand('cat config/dev.json', { workspace: '/w', secretPatterns: ['config/prod.*'] }).verdict).toBe(
    'allow',
  );
});

test('the reason names the argument, and the evaluated line is shown', () => {
  const verdict = judge('echo cm0gLXJmIC4= | base64 -d | sh');
  expect(verdict.rule).toBe('shell:destroy');
  expect(verdict.reason.split(' ')[0]).toBe('.');
  expect(verdict.understood).toContain('[… | sh] rm -rf .');
});

test('never throws', () => {
  const pieces = [
    '$(',
    '`',
    '"',
    "'",
    '${x:',
    '}',
    '<<E\n',
    '|',
    '&&',
    ';;',
    'case x in',
    '((',
    '[[',
    '{a,',
    '\\',
    '\n',
    '<(',
    'f(){',
    '*',
    '$',
    '!',
    '#',
    '~',
    'rm',
    ' -rf ',
  ];
  let state = 7;
  for (let round = 0; round < 3000; round++) {
    let line = '';
    for (let part = 0; part < 12; part++) {
      state = (state * 48_271) % 2_147_483_647;
      line += pieces[state % pieces.length];
    }
    expect(['allow', 'ask', 'deny']).toContain(judge(line).verdict);
  }
});

test('an opaque argument that can be an option or a subcommand is asked about', () => {
  for (const line of [
    'git clean $(echo x | gunzip)',
    `find . $(awk 'BEGIN { print "-delete" }')`,
    'ls -A | tac | xargs cat',
    'read -r first second <<< "x --hard"; git reset "$second"',
  ])
    expect([line, verdictOf(line)]).toEqual([line, 'ask']);
  for (const line of ['echo $(echo x | gunzip)', 'git tag v$(echo x | gunzip)', 'ls $(echo x | gunzip)'])
    expect([line, verdictOf(line)]).toEqual([line, 'allow']);
});
