// Covers adapters/sandboxes/git-settings.ts, adapters/tools/git/commits: each setting of git that decides what a commit contains.
//
// Each row is a configuration of the user or of the repository. The same change is committed by git itself, outside of the
// sandbox, and by Klaus: the two commits are the same (`kept`), or the result names the setting (`named`).
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools, createUserGit } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';

const MESSAGE = 'Größe  \n\n\n# hash\n; semicolon\n\nRefs: 1';
/** In the configuration: the home folder of the user. */
const HOME = '%HOME%';

interface Row {
  name: string;
  config: string;
  /** Default: both. */
  scope?: 'user' | 'repository';
  /** Files below the home folder of the user. A name that ends with `!` is a program. */
  files?: Readonly<Record<string, string>>;
  /** The setting that the result names. Default: none, and the commits are the same. */
  named?: string;
}

const ROWS: readonly Row[] = [
  { name: 'nothing', config: '' },
  { name: 'user.*', config: '[user]\nname = Örtlich "A" \\\\ B\nemail = own@localhost' },
  { name: 'author.*', config: '[author]\nname = Author\nemail = author@localhost' },
  { name: 'committer.*', config: '[committer]\nemail = committer@localhost' },
  {
    name: 'includeIf gitdir',
    scope: 'user',
    config: `[includeIf "gitdir:**/.git"]\npath = ${HOME}/work.inc`,
    files: { 'work.inc': '[user]\nemail = work@localhost\n[core]\nautocrlf = input' },
  },
  {
    name: 'includeIf onbranch',
    scope: 'user',
    config: `[includeIf "onbranch:main"]\npath = work.inc`,
    files: { 'work.inc': '[committer]\nemail = main@localhost' },
  },
  {
    name: 'includeIf of another folder',
    scope: 'user',
    config: `[includeIf "gitdir:/nowhere/"]\npath = ${HOME}/work.inc`,
    files: { 'work.inc': '[user]\nemail = work@localhost' },
  },
  { name: 'core.autocrlf=input', config: '[core]\nautocrlf = input' },
  { name: 'core.autocrlf=true', config: '[core]\nautocrlf = true' },
  { name: 'core.eol', config: '[core]\neol = crlf' },
  { name: 'core.fileMode', config: '[core]\nfileMode = false' },
  { name: 'core.symlinks', config: '[core]\nsymlinks = false' },
  { name: 'core.ignoreCase', config: '[core]\nignoreCase = true' },
  { name: 'core.whitespace', config: '[core]\nwhitespace = trailing-space' },
  {
    name: 'core.excludesFile',
    scope: 'user',
    config: '[core]\nexcludesFile = ~/ignored',
    files: { ignored: 'new.*\n' },
  },
  { name: 'the default list of ignored files', config: '', files: { '.config/git/ignore': 'new.*\n' } },
  {
    name: 'core.attributesFile and filter.*',
    scope: 'user',
    config: '[core]\nattributesFile = ~/attributes\n[filter "upper.case"]\nclean = tr a-z A-Z\nrequired',
    files: { attributes: 'a.txt filter=upper.case\n' },
  },
  { name: 'the default list of attributes', config: '', files: { '.config/git/attributes': '* text=auto\n' } },
  ...['verbatim', 'whitespace', 'strip', 'scissors', 'default'].map((value) => ({
    name: `commit.cleanup=${value}`,
    config: `[commit]\ncleanup = ${value}`,
  })),
  { name: 'core.commentChar', config: '[core]\ncommentChar = ";"\n[commit]\ncleanup = strip' },
  { name: 'commit.verbose, commit.status', config: '[commit]\nverbose = true\nstatus = false' },
  { name: 'trailer.*', config: '[trailer "refs"]\nkey = "Refs #"\nifexists = replace\ncommand = echo made' },
  { name: 'format.*', config: '[format]\nsignOff = true\npretty = oneline\nsubjectPrefix = X' },
  { name: 'gpg.* without commit.gpgSign', config: '[gpg]\nformat = ssh\nprogram = false\n[user]\nsigningKey = x' },
  { name: 'tag.gpgSign', config: '[tag]\ngpgSign = true' },
  { name: 'i18n.logOutputEncoding', config: '[i18n]\nlogOutputEncoding = ISO-8859-1' },
  { name: 'i18n.commitEncoding', config: '[i18n]\ncommitEncoding = ISO-8859-1', named: 'i18n.commitEncoding' },
  {
    name: 'commit.template',
    config: `[commit]\ntemplate = ${HOME}/template`,
    files: { template: 'Template\n' },
    named: 'commit.template',
  },
  { name: 'commit.gpgSign', config: '[commit]\ngpgSign = true\n[gpg]\nprogram = false', named: 'commit.gpgSign' },
  {
    name: 'core.hooksPath',
    scope: 'user',
    config: '[core]\nhooksPath = ~/hooks',
    files: { 'hooks/commit-msg!': '#!/bin/sh\necho added >>"$1"\n' },
    named: 'core.hooksPath',
  },
];

/** One state folder, in which the programs of the sandbox are looked for once. */
const shared = createTestHome({});
afterAll(() => shared[Symbol.dispose]());

/** Two equal repositories with the same change, and a user. */
function createPlaces({ config, files = {} }: Row, scope: 'user' | 'repository') {
  const places = [createTestHome({}), createTestHome({})] as const;
  const home = join(places[0].workspace, '../user');
  const env = { PATH: process.env['PATH']!, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C.UTF-8' };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name.replace(/!$/, ''));
    write(path, text);
    if (name.endsWith('!')) chmodSync(path, 0o755);
  }
  const lines = `${config.replaceAll(HOME, home)}\n`;
  write(join(home, '.gitconfig'), '[user]\nname = User\nemail = user@localhost\n');
  for (const { workspace } of places) {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, env, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    write(join(workspace, 'a.txt'), 'one\n');
    write(join(workspace, 'run.sh'), 'true\n');
    symlinkSync('a.txt', join(workspace, 'link'));
    git('add', '-A');
    git('commit', '-q', '-m', 'First');
    if (scope === 'repository') execFileSync('/bin/sh', ['-c', 'cat >>.git/config'], { cwd: workspace, input: lines });
    write(join(workspace, 'a.txt'), 'two\r\nthree\r\n');
    write(join(workspace, 'new.txt'), 'new\r\n');
    chmodSync(join(workspace, 'run.sh'), 0o755);
  }
  if (scope === 'user') execFileSync('/bin/sh', ['-c', 'cat >>.gitconfig'], { cwd: home, input: lines });
  return { places, env, [Symbol.dispose]: () => places.forEach((place) => place[Symbol.dispose]()) };
}

/** The commit object without its parents and times. */
function readCommit(workspace: string) {
  const [head = '', ...message] = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: workspace })
    .toString()
    .split('\n\n');
  const fields = Object.fromEntries(
    ['tree', 'author', 'committer', 'encoding', 'gpgsig'].map((key) => [
      key,
      new RegExp(`^${key} (.*)`, 'm').exec(head)?.[1],
    ]),
  );
  const withoutTime = (who = '') => who.replace(/ \d+ [+-]\d+$/, '');
  return {
    ...fields,
    author: withoutTime(fields['author']),
    committer: withoutTime(fields['committer']),
    message: message.join('\n\n'),
  };
}

const CASES = ROWS.flatMap((row) =>
  (['user', 'repository'] as const)
    .filter((scope) => row.scope === undefined || row.scope === scope)
    .map((scope) => ({ ...row, scope })),
);

describe.concurrent('a commit has what git itself would have written', { timeout: 60_000 }, () => {
  for (const { cases, tags } of splitCases(CASES, 28)) test.each(cases)('$name ($scope)', { tags }, ofGit);

  async function ofGit(row: (typeof CASES)[number]) {
    using scene = createPlaces(row, row.scope);
    const [own, place] = scene.places;
    const { env } = scene;
    // The program of a signature fails, so git commits without one, as Klaus does.
    const words = row.named === 'commit.gpgSign' ? ['-c', 'commit.gpgSign=false'] : [];
    execFileSync('/bin/sh', ['-c', 'git add -A && git "$@"', 'sh', ...words, 'commit', '-q', '-m', MESSAGE], {
      cwd: own.workspace,
      env,
      stdio: 'pipe',
    });
    const sandbox = await createSandbox({ workspace: place.workspace, home: shared.home, env });
    const context = {
      ...createToolContext({ workspace: await createWorkspace(place.workspace), sandbox }),
      gitIdentity: { name: 'Klaus', email: 'klaus@localhost' },
      userGit: createUserGit(env),
    };
    const input = { message: MESSAGE, paths: ['.'] };
    const { text } = await callTool(builtinTools, 'git_commit', { input, context });
    const [expected, found] = [readCommit(own.workspace), readCommit(place.workspace)];
    if (row.named === undefined) {
      expect(found).toEqual(expected);
      expect(text).not.toMatch(/although|not used|did not run|identity/);
    } else {
      expect(text).toContain(row.named);
      const { tree, author, committer } = expected as Record<string, unknown>;
      expect(found).toMatchObject({ tree, author, committer });
      expect(found).toMatchObject({ encoding: undefined, gpgsig: undefined });
      expect(found.message).toContain('Größe');
    }
  }

  test.each(CASES.filter(({ named, scope }) => named === undefined && scope === 'user'))(
    'also a command: $name',
    async (row) => {
      using scene = createPlaces(row, row.scope);
      const [own, place] = scene.places;
      const { env } = scene;
      const command = `git add -A && git commit -q -m '${MESSAGE}'`;
      execFileSync('/bin/sh', ['-c', command], { cwd: own.workspace, env, stdio: 'pipe' });
      const sandbox = await createSandbox({ workspace: place.workspace, home: shared.home, env });
      expect(await sandbox.exec({ command })).toMatchObject({ exitCode: 0 });
      expect(readCommit(place.workspace)).toEqual(readCommit(own.workspace));
    },
  );
});
