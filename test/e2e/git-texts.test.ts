// Covers adapters/tools/git, sdk/workspace: changes and commits of a repository as texts for a prompt.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createKlaus, type Klaus, type WorkspaceGit } from '@klaus/sdk';
import { afterEach, beforeEach, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

/** Split, so that no scanner finds it here. */
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'}${'k1L2m3N4o5P6q7R8'}`;
const PASSWORD = 'canary-of-the-database-91';

let place: TestHome;
let klaus: Klaus;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: place.workspace,
    env: { ...process.env, ...place.env, GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
  }).trim();
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const open = async (folder = place.workspace): Promise<WorkspaceGit> => {
  const found = await (await klaus.files(folder)).git();
  if (!found) throw new Error('There is no repository.');
  return found;
};

beforeEach(async () => {
  place = createTestHome({ 'src/a.js': 'one\n', 'README.md': '# Test\n', '.gitignore': 'ignored/\n' });
  klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env });
});
afterEach(async () => {
  await klaus.close();
  place[Symbol.dispose]();
});

test('the diff has changed, new and deleted files, and Git data stays as it was', async () => {
  put('src/a.js', 'two\n');
  put('src/new file.js', 'new\n');
  put('-', 'dash\n');
  put('ignored/x.js', 'ignored\n');
  git('rm', '-q', 'README.md');
  const index = join(place.workspace, '.git/index');
  const before = { bytes: readFileSync(index), at: statSync(index).mtimeMs, status: git('status', '--porcelain') };
  const { text, files, leftOut } = await (await open()).diff();
  expect(files.toSorted()).toEqual(['-', 'README.md', 'src/a.js', 'src/new file.js']);
  expect(leftOut).toEqual([]);
  for (const line of ['-one', '+two', '+new', '+dash', '-# Test']) expect(text).toContain(`\n${line}\n`);
  expect(text).not.toContain('ignored');
  expect(git('status', '--porcelain')).toBe(before.status);
  expect(readFileSync(index).equals(before.bytes) && statSync(index).mtimeMs === before.at).toBe(true);
});

test('staged changes are only those of the index', async () => {
  put('src/a.js', 'staged\n');
  git('add', 'src/a.js');
  put('src/a.js', 'later\n');
  put('new.js', 'new\n');
  const { text, files } = await (await open()).diff({ staged: true });
  expect(files).toEqual(['src/a.js']);
  expect(text).toContain('+staged');
  expect(text).not.toContain('later');
});

test('secrets are redacted, and secret files are left out under each of their names', async () => {
  put('.env', `DATABASE_PASSWORD=${PASSWORD}\n`);
  git('add', '-f', '.env');
  git('commit', '-qm', `Rotate ${TOKEN}`);
  put('.env', `DATABASE_PASSWORD=${PASSWORD}\nMORE=1\n`);
  linkSync(join(place.workspace, '.env'), join(place.workspace, 'notes.txt'));
  put('keys/id_rsa', 'a private key\n');
  put('src/a.js', `const token = '${TOKEN}';\nconnect('${PASSWORD}');\n`);
  const found = await open();
  const diff = await found.diff();
  expect(diff.files).toEqual(['src/a.js']);
  expect(diff.leftOut.toSorted()).toEqual(['.env', 'keys/id_rsa', 'notes.txt']);
  expect(diff.text).toContain('+const token');
  const commit = await found.commit(git('rev-parse', 'HEAD'));
  expect(commit).toMatchObject({ files: [], leftOut: ['.env'] });
  expect(commit.text).toContain('Rotate [secret:');
  const [latest] = await found.commits({ limit: 1 });
  expect(latest?.subject).toMatch(/^Rotate \[secret:/);
  for (const text of [diff.text, commit.text, latest?.subject]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(PASSWORD);
  }
});

test('files that the policy hides are left out, also of earlier commits', async () => {
  put('customers/list.csv', 'ACME\n');
  git('add', '.');
  git('commit', '-qm', 'Add customers');
  put('.klaus/policy.yaml', 'rules:\n  - deny: { read: "customers/**" }\nsecrets: ["*.private"]\n');
  put('customers/list.csv', 'ACME\nOther ACME\n');
  put('a.private', 'ACME\n');
  linkSync(join(place.workspace, 'customers/list.csv'), join(place.workspace, 'copy.csv'));
  const found = await open();
  const diff = await found.diff();
  expect(diff.leftOut.toSorted()).toEqual(['a.private', 'copy.csv', 'customers/list.csv']);
  expect(diff.files).toEqual(['.klaus/policy.yaml']);
  const commit = await found.commit(git('rev-parse', 'HEAD'));
  expect(commit.leftOut).toEqual(['customers/list.csv']);
  for (const { text } of [diff, commit]) expect(text).not.toContain('ACME');
});

test('a diff beyond the limit has its size and its files, but no text', async () => {
  put('large.txt', 'a line of text\n'.repeat(400_000));
  put('src/a.js', 'two\n');
  const { text, size, files } = await (await open()).diff();
  expect(text).toBeNull();
  expect(size).toBeGreaterThan(150_000);
  expect(files.toSorted()).toEqual(['large.txt', 'src/a.js']);
});

test('programs that the repository names do not run', async () => {
  const trap = join(place.workspace, 'trap.sh');
  const mark = join(place.workspace, 'trapped');
  writeFileSync(trap, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
  chmodSync(trap, 0o755);
  put('.gitattributes', '* diff=trap\n');
  for (const key of ['diff.trap.textconv', 'diff.trap.command', 'diff.external', 'core.fsmonitor', 'core.pager'])
    git('config', key, trap);
  put('src/a.js', 'two\n');
  const found = await open();
  expect((await found.diff()).text).toContain('+two');
  await found.commits({ limit: 5 });
  await found.commit(git('rev-parse', 'HEAD'));
  expect(existsSync(mark)).toBe(false);
});

test('a commit has its message and its diff, a merge that against its first parent', { tags: ['long'] }, async () => {
  put('src/a.js', 'two\n');
  git('commit', '-qam', 'Change a\n\nThe reason.');
  git('checkout', '-qb', 'topic', 'HEAD~1');
  put('b.js', 'b\n');
  git('add', 'b.js');
  git('commit', '-qm', 'Add b');
  git('checkout', '-q', '-');
  git('merge', '-q', '--no-ff', '-m', 'Merge topic', 'topic');
  const found = await open();
  const commits = await found.commits({ limit: 10 });
  expect(commits.map(({ subject }) => subject).toSorted()).toEqual(['Add b', 'Begin', 'Change a', 'Merge topic']);
  expect(
    commits.every(({ hash, author, at }) => hash.length === 40 && author !== '' && !Number.isNaN(Date.parse(at))),
  ).toBe(true);
  const change = await found.commit(commits.find(({ subject }) => subject === 'Change a')!.hash.slice(0, 12));
  expect(change.text).toContain('The reason.');
  expect(change.text).toContain('\n+two\n');
  const merge = await found.commit(commits.find(({ subject }) => subject === 'Merge topic')!.hash);
  expect(merge.files).toEqual(['b.js']);
});

test.for(['--output=x', '-x', 'HEAD', 'main', 'deadbeef', 'a', '../x', 'HEAD:.env', `${'0'.repeat(40)}`])(
  'the id %s is refused, and writes nothing',
  async (hash) => {
    await expect((await open()).commit(hash)).rejects.toMatchObject({ code: 'usage' });
    expect(existsSync(join(place.workspace, 'x'))).toBe(false);
  },
);

test('in a folder of a repository, only the folder is shown', { tags: ['long'] }, async () => {
  put('sub/c.js', 'c\n');
  put('src/a.js', 'two\n');
  git('add', '.');
  git('commit', '-qm', 'Both');
  put('sub/c.js', 'd\n');
  put('src/a.js', 'three\n');
  const found = await open(join(place.workspace, 'sub'));
  expect((await found.diff()).files).toEqual(['c.js']);
  const [both] = await found.commits({ limit: 5 });
  const { text, files } = await found.commit(both!.hash);
  expect(files).toEqual(['c.js']);
  expect(text).not.toContain('two');
});

test('a folder without Git has no repository, and a new repository has no commits', { tags: ['long'] }, async () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'klaus-without-git-'));
  expect(await (await klaus.files(folder)).git()).toBeUndefined();
  execFileSync('git', ['init', '-q'], { cwd: folder, env: { ...process.env, ...place.env } });
  writeFileSync(join(folder, 'first.txt'), 'first\n');
  const found = await open(folder);
  expect(await found.commits({ limit: 5 })).toEqual([]);
  expect((await found.diff()).text).toContain('+first');
  rmSync(folder, { recursive: true });
});
