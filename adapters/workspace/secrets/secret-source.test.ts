import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isSecretFile } from '@klaus/core/policy';
import { createSecretFiles } from './find-secret-files.ts';
import { createSecretSource } from './secret-source.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-secrets-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString();
const names = (paths: readonly string[]) => paths.map((path) => relative(root, path)).sort();
const valuesOf = async (source = createSecretSource(root)) => (await source.values()).map(({ value }) => value);

describe('secret files', () => {
  test('are found by name, ignored and hidden ones too, and in any case', async () => {
    put('.gitignore', '.env\n');
    const secret = ['.env', 'deep/er/.env.local', 'certs/Server.KEY', '.aws/credentials', '.ssh/id_work', 'a/prod.env'];
    const open = ['.env.example', 'src/key.ts', 'node_modules/x/.env', '.ssh/id_work.pub', 'certs/ca.pem', '.npmrc'];
    for (const path of [...secret, ...open]) put(path, 'x\n');
    expect(names(await createSecretFiles(root).find())).toEqual(secret.sort());
  });

  test('are all that match the rule for names', async () => {
    const paths = ['.env_x', '.Env.Local', 'a.ENV', 'x/ID_RSA', 'k.asc.key', 'k.ppk', '.gnupg/a/b', 'h/.kube/config'];
    paths.push('my_credentials.json', 'x-firebase-adminsdk-1.json', 'service_account.json', 'serviceAccount1.json');
    paths.push('h/.config/gh/hosts.yml', 'h/.aws/credentials', 'secrets.YAML', 'd/.netrc', '.cargo/credentials.toml');
    for (const path of paths) put(path, 'x\n');
    expect(paths.filter((path) => !isSecretFile(path))).toEqual([]);
    expect(names(await createSecretFiles(root).find())).toEqual(paths.sort());
  });

  test('are all found, however many there are', { tags: ['long'] }, async () => {
    for (let at = 0; at < 1_200; at++) put(`p${at}/.env`, `A_KEY=value-number-${at}\n`);
    expect(await createSecretFiles(root).find()).toHaveLength(1_200);
    expect(await valuesOf()).toHaveLength(1_200);
  });

  test('include the globs of the user', async () => {
    for (const path of ['config/prod.yaml', 'other/config/prod.yaml', 'vault/a/b.txt', 'x/token.txt']) put(path, 'x\n');
    put('odd/[a]{b}.txt', 'x\n');
    const patterns = ['config/prod.yaml', 'vault', 'token.*', '[a]{b}.*'];
    expect(names(await createSecretFiles(root, patterns).find())).toEqual([
      'config/prod.yaml',
      'odd/[a]{b}.txt',
      'vault/a/b.txt',
      'x/token.txt',
    ]);
  });

  test('include hard links, also in skipped folders, and targets of links', async () => {
    put('.env', 'A=1\n');
    put('node_modules/x/y', 'z');
    linkSync(join(root, '.env'), join(root, 'node_modules/x/harmless.txt'));
    put('config/real', 'B=2\n');
    symlinkSync('config/real', join(root, '.env.local'));
    symlinkSync('/etc/hostname', join(root, '.env.host'));
    expect(names(await createSecretFiles(root).find())).toEqual(['.env', 'config/real', 'node_modules/x/harmless.txt']);
  });

  test('in Git are hidden only when their content has changed', async () => {
    git('init', '-q');
    put('.env', 'A=committed-value-1\n');
    put('.env.local', 'B=private-value-22\n');
    git('add', '.env');
    const source = createSecretSource(root);
    expect(names(await source.files())).toEqual(['.env.local']);
    // A command can add any path to the index, with its own content.
    const other = git('hash-object', '-w', '.env').trim();
    git('update-index', '--add', '--cacheinfo', `100644,${other},.env.local`);
    expect(names(await source.files())).toEqual(['.env.local']);
    put('.env', 'A=not-committed-3\n');
    expect(names(await source.files())).toEqual(['.env', '.env.local']);
  });
});

describe('secret values', () => {
  test('are those of every kind of file, without words, paths, hosts and addresses', async () => {
    put(
      '.env',
      [
        'NODE_ENV=development',
        'export API_TOKEN="quoted-token-1"',
        "DB_PASS='single quoted 2' # comment",
        'DATABASE_URL=postgres://app:url-passw0rd@db.internal:5432/app',
        'HOME_PAGE=https://example.com/a',
        'LOG_DIR=/var/log/application',
        'REGION_NAME=north-east',
        'PLAIN_SECRET=onlyletterssecret',
        'OTHER=${API_TOKEN}',
      ].join('\n'),
    );
    put('credentials.json', JSON.stringify({ installed: { client_secret: 'json-secret-99', name: 'project' } }));
    put('prod.env', 'password: yaml-value-77\n');
    put('.netrc', 'machine example.com login someone password netrc-value-5\n');
    put('.vault-token', 'hvs-opaque-token-123456\n');
    const values = await valuesOf();
    expect(values).toEqual(
      expect.arrayContaining([
        'quoted-token-1',
        'single quoted 2',
        'url-passw0rd',
        'onlyletterssecret',
        'json-secret-99',
        'yaml-value-77',
        'netrc-value-5',
        'hvs-opaque-token-123456',
      ]),
    );
    for (const harmless of [
      'development',
      'https://example.com/a',
      '/var/log/application',
      'north-east',
      '${API_TOKEN}',
    ])
      expect(values).not.toContain(harmless);
  });

  test('do not include common words of ordinary settings', async () => {
    const settings = [
      'SESSION_DRIVER=database',
      'AUTH_METHOD=authentication',
      'AUTH_PROVIDER=passport',
      'AUTHOR=function',
      'DESIGN_SYSTEM=material',
      'TOKEN_TTL=86400000',
      'COOKIE_NAME=application_session',
      'AWS_REGION=us-east-1',
      'APP_VERSION=1.2.3-beta.1',
      'FEATURES=checkout_v2',
      'ADMIN_EMAIL=admin@example.com',
      'LANG=en_US.UTF-8',
    ];
    put('.env', `${settings.join('\n')}\n`);
    expect(await valuesOf()).toEqual([]);
    put(
      '.env',
      'DATABASE_URL=postgres://postgres:postgres@localhost/app\nSESSION_SECRET=onlyletters\nPGPASSWORD=moreletters',
    );
    expect(await valuesOf()).toEqual(['postgres://postgres:postgres@localhost/app', 'onlyletters', 'moreletters']);
  });

  test('are kept when their file is deleted, and new ones are noticed', async () => {
    put('.env', 'A_KEY=first-value-1\n');
    const source = createSecretSource(root);
    expect(await valuesOf(source)).toEqual(['first-value-1']);
    rmSync(join(root, '.env'));
    put('sub/.env.local', 'A_KEY=second-value-2\n');
    expect(await valuesOf(source)).toEqual(['first-value-1', 'second-value-2']);
  });

  test('of earlier versions: other branches, stashes, what is staged, what was reset', async () => {
    git('init', '-q', '-b', 'main');
    const commit = (value: string) => {
      put('app/.env', `A_KEY=${value}\n`);
      git('add', '-f', '.');
      git('commit', '-qm', value);
    };
    commit('oldest-value-1');
    git('checkout', '-qb', 'side');
    commit('branch-value-2');
    git('checkout', '-q', 'main');
    commit('reset-value-33');
    git('reset', '-q', '--hard', 'HEAD~1');
    put('app/.env', 'A_KEY=stashed-value-4\n');
    git('stash', '-q');
    put('app/.env', 'A_KEY=staged-value-5\n');
    git('add', '.');
    git('rm', '-q', '-f', '--cached', 'app/.env');
    put('app/.env.prod', 'A_KEY=indexed-value-6\n');
    git('add', '-f', '.');
    rmSync(join(root, 'app'), { recursive: true });
    const values = await valuesOf();
    for (const value of ['oldest-value-1', 'branch-value-2', 'reset-value-33', 'stashed-value-4', 'indexed-value-6'])
      expect(values).toContain(value);
  });

  test('are read without the configuration of the repository', async () => {
    git('init', '-q');
    put('.env', 'A_KEY=committed-value-1\n');
    git('add', '.');
    git('commit', '-qm', 'One');
    rmSync(join(root, '.env'));
    const proof = join(root, 'ran');
    put('.git/run.sh', `#!/bin/sh\ntouch ${proof}\n`);
    execFileSync('chmod', ['+x', join(root, '.git/run.sh')]);
    for (const key of ['core.fsmonitor', 'core.pager', 'diff.external', 'gpg.program', 'core.sshCommand'])
      git('config', key, join(root, '.git/run.sh'));
    git('config', 'log.showSignature', 'true');
    rmSync(proof, { force: true });
    expect(await valuesOf()).toContain('committed-value-1');
    expect(await createSecretFiles(root).find()).toEqual([]);
    expect(() => execFileSync('ls', [proof], { stdio: 'ignore' })).toThrow('ls');
  });
});

describe('the cached history', () => {
  const commit = (message: string) => {
    git('add', '-A', '-f');
    git('commit', '-qm', message);
  };
  const open = (cache = join(root, '.git/cache-of-a-test')) => createSecretSource(root, { cache });

  test('has the same result as a search without a cache after any changes', async () => {
    git('init', '-q', '-b', 'main');
    put('.env', 'A_KEY=first-value-11\n');
    commit('first');
    put('.env', 'A_KEY=second-value-22\n');
    commit('second');
    expect((await valuesOf(open())).sort()).toEqual(['first-value-11', 'second-value-22']);
    expect((await valuesOf(open())).sort()).toEqual(['first-value-11', 'second-value-22']);
    git('checkout', '-qb', 'side', 'HEAD^');
    put('other/prod.env', 'B_KEY=third-value-33\n');
    commit('side');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-edit', 'side');
    git('rm', '-q', '.env', 'other/prod.env');
    commit('gone');
    git('branch', '-qD', 'side');
    const all = ['first-value-11', 'second-value-22', 'third-value-33'];
    expect((await valuesOf(open())).sort()).toEqual(all);
    expect((await valuesOf(open())).sort()).toEqual(all);
    expect((await valuesOf()).sort()).toEqual(all);
  });

  test('needs no git if nothing is new or secret', async () => {
    git('init', '-q', '-b', 'main');
    put('a.txt', 'a\n');
    commit('first');
    expect(await valuesOf(open())).toEqual([]);
    const objects = join(root, '.git/objects');
    renameSync(objects, `${objects}-away`);
    expect(await valuesOf(open())).toEqual([]);
    renameSync(`${objects}-away`, objects);
    put('.env', 'A_KEY=fresh-value-44\n');
    commit('second');
    git('rm', '-q', '.env');
    commit('third');
    expect(await valuesOf(open())).toEqual(['fresh-value-44']);
  });

  test('does not include a missing commit, and ignores the list of shallow commits', async () => {
    git('init', '-q', '-b', 'main');
    put('.env', 'A_KEY=early-value-55\n');
    commit('first');
    git('rm', '-q', '.env');
    put('a.txt', 'a\n');
    commit('second');
    const [head = ''] = git('rev-parse', 'HEAD').split('\n');
    const away = join(root, '.git/objects', head.slice(0, 2));
    renameSync(away, `${away}-away`);
    expect(await valuesOf(open())).not.toContain('early-value-55');
    renameSync(`${away}-away`, away);
    expect(await valuesOf(open())).toContain('early-value-55');

    // A command can write it.
    writeFileSync(join(root, '.git/shallow'), `${head}\n`);
    rmSync(join(root, '.git/logs'), { recursive: true });
    expect(await valuesOf(open(join(root, '.git/another-cache')))).toEqual(['early-value-55']);
  });
});
