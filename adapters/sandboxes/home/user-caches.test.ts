import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { CACHES } from './cache-table.ts';
import { findUserCaches } from './user-caches.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);
const has = (...words: string[]): boolean => spawnSync(words[0]!, words.slice(1)).status === 0;

const user = join(place.root, 'user');
const put = (path: string, text: string, folder = user): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const env = { PATH: process.env['PATH'], HOME: user };
const REGISTRY = 'index.crates.io-1949cf8c6b5b557f';

put(`.cargo/registry/cache/${REGISTRY}/itoa-1.0.0.crate`, 'crate\n');
put(`.cargo/registry/index/${REGISTRY}/.cache/it/oa/itoa`, 'index\n');
put('.cargo/registry/index/lonely.lock', '');
put('.cargo/credentials.toml', 'token = "x"\n');
put('.m2/repository/junit/junit/4/junit-4.jar', 'jar\n');
put('.m2/repository/junit/junit/4/_remote.repositories', 'central\n');
put('.m2/repository/junit/junit/4/junit-4.pom.lastUpdated', '');
put(`.cache/go-build/ab/${'ab'.repeat(32)}-d`, 'object\n');

/** Files that no command may see, next to the caches or in them. */
const KEPT = `
  .cargo/credentials.toml .cargo/git/db/a/FETCH_HEAD .m2/settings.xml .gradle/gradle.properties
  .gradle/init.d/a.gradle .gradle/caches/modules-2/metadata-2.1/resource-at-url.bin .local/share/pnpm/store/v10/projects/a
  .config/pnpm/rc .yarnrc.yml .yarn/berry/metadata/npm/a .cache/yarn/v6/npm-a-1/node_modules/a/.yarn-metadata.json
  .bun/install/cache/a.git/config .cache/uv/git-v0/db/a/config .cache/uv/wheels-v8/index/a/b .cache/pip/http-v2/a
  .cache/pypoetry/auth .cache/pypoetry/cache/repositories/private/_http/a .nuget/NuGet/NuGet.Config
  .nuget/packages/own/1.0.0/.nupkg.metadata .cache/yarn/v6/.tmp/a .cache/pip/selfcheck/a .config/composer/auth.json .cache/composer/repo/https---a/b .cache/composer/vcs/a/config
  .local/share/gem/credentials .local/share/gem/ruby/3.1.0/cache/bundler/git/a/config .bundle/config
`
  .trim()
  .split(/\s+/);
/** Files that commands may see, at the same path in their home. */
const SHOWN = `
  .gradle/caches/modules-2/files-2.1/g/a/1/h/a.jar .gradle/caches/modules-2/metadata-2.1/module-metadata.bin
  .gradle/wrapper/dists/gradle-8/h/gradle-8/bin/gradle .yarn/berry/cache/a-npm-1.zip
  .bun/install/cache/a@1@@@1/a.js .cache/uv/archive-v0/h/a.py .cache/uv/simple-v1/pypi/a.rkyv
  .cache/pip/wheels/ab/cd/a.whl .cache/pypoetry/artifacts/ab/cd/a.whl .nuget/packages/a/1.0.0/a.nuspec
  .cache/yarn/v6/npm-@s-b-1-integrity/node_modules/@s/b/index.js
  .cache/composer/files/a/b/c.zip .local/share/gem/ruby/3.1.0/gems/a-1.0/lib/a.rb
`
  .trim()
  .split(/\s+/);

const project = (name: string, files: Readonly<Record<string, string>>): string => {
  for (const [path, text] of Object.entries(files)) put(path, text, join(place.root, name));
  return join(place.root, name);
};
const open = (workspace: string, session?: string) =>
  createSandbox({ workspace, home: place.home, choice: 'bubblewrap', env, ...(session ? { session } : {}) });

test('only a workspace that uses a tool gets its caches, from any path that the tool supports', () => {
  const find = (workspace: string, more = {}) =>
    findUserCaches({ ...env, ...more }, workspace).flatMap(({ shown }) => shown ?? []);
  expect(find(place.workspace)).toEqual([]);
  const rust = project('rust', { 'crates/one/Cargo.toml': '' });
  expect(find(rust)).toEqual([]);
  put('one/Cargo.toml', '', rust);
  expect(find(rust)).toEqual([join(user, '.cargo/registry/cache')]);
  expect(find(rust, { CARGO_HOME: join(place.root, 'nothing') })).toEqual([]);
  const go = project('go', { 'go.mod': '' });
  expect(find(go)).toEqual([join(user, '.cache/go-build')]);
  expect(find(go, { GOCACHE: 'off' })).toEqual([]);
});

describe.skipIf(!program)('in the sandbox', () => {
  test('entries can be read and added, and the cache of the user does not change', async () => {
    const workspace = project('both', { 'Cargo.toml': '', 'pom.xml': '', 'go.mod': '' });
    const list = () => readdirSync(user, { recursive: true, encoding: 'utf8' }).sort();
    const before = list();
    const sandbox = await open(workspace, 'A');
    const crates = `~/.cargo/registry/cache/${REGISTRY}`;
    const index = `~/.cargo/registry/index/${REGISTRY}/.cache/it/oa/itoa`;
    const jars = '~/.m2/repository/junit/junit/4';
    const read = await sandbox.exec({
      command: `cat ${crates}/* ${index} ${jars}/* ~/.cache/go-build/ab/*; find ~/.cargo ~/.m2 -name '*.lock' -o -name '*.lastUpdated' -o -name 'credentials*'`,
    });
    expect(read.stdout.split('\n').filter(Boolean).sort()).toEqual(['central', 'crate', 'index', 'jar', 'object']);
    const written = await sandbox.exec({
      command: [
        `echo x > ${crates}/itoa-1.0.0.crate`,
        `echo x > ${jars}/junit-4.jar`,
        `echo own > ${crates}/new.crate && echo own > ${index} && echo own > ${jars}/_remote.repositories && echo done`,
        `rm ${crates}/itoa-1.0.0.crate ${jars}/junit-4.jar`,
        `echo x > ${user}/.m2/repository/planted`,
      ].join('\n'),
    });
    expect(written.stdout).toBe('done\n');
    expect((await sandbox.exec({ command: `cat ${crates}/* ${index}` })).stdout).toBe('own\nown\n');
    expect(list()).toEqual(before);
    expect(readFileSync(join(user, `.cargo/registry/index/${REGISTRY}/.cache/it/oa/itoa`), 'utf8')).toBe('index\n');
    // Another session gets the caches of the user.
    expect((await (await open(workspace, 'B')).exec({ command: `cat ${crates}/*` })).stdout).toBe('crate\n');
  });

  test('settings, clones and URLs in a cache are not shown, regardless of the tools of the workspace', async () => {
    const workspace = project(
      'every',
      Object.fromEntries(CACHES.flatMap(({ markers }) => markers.map((name) => [name, '']))),
    );
    for (const path of KEPT) put(path, 'kept-from-commands\n');
    for (const path of SHOWN) put(path, `${path}\n`);
    const nuget = (source: string): string => JSON.stringify({ version: 2, contentHash: 'x', source });
    const yarn = (url: string): string => JSON.stringify({ remote: { resolved: url, reference: url } });
    put('.nuget/packages/a/1.0.0/.nupkg.metadata', nuget('https://api.nuget.org/v3/index.json'));
    put('.nuget/packages/b/1.0.0/.nupkg.metadata', nuget('https://nuget.example.org/v3/index.json'));
    put('.nuget/packages/b/1.0.0/b.nuspec', 'kept-from-commands\n');
    const b = '.cache/yarn/v6/npm-@s-b-1-integrity/node_modules/@s/b';
    put(`${b}/.yarn-metadata.json`, yarn('https://registry.yarnpkg.com/@s/b/-/b-1.tgz#x'));
    const c = '.cache/yarn/v6/npm-c-1-integrity/node_modules/c';
    put(`${c}/.yarn-metadata.json`, yarn('https://user:word@registry.example.org/c.tgz'));
    put(`${c}/index.js`, 'kept-from-commands\n');
    const sandbox = await open(workspace);
    const found = await sandbox.exec({ command: `grep -rl kept-from-commands ${user} ~ /run; grep -Rh '^[.]' ~ /run` });
    const lines = found.stdout.split('\n').filter(Boolean);
    expect(lines.filter((line) => line.startsWith('/'))).toEqual([]);
    expect([...new Set(lines)].sort()).toEqual([...SHOWN].sort());
  });

  test('a store that its tool identifies by its path is at that path, and commands write their own copy', async () => {
    put('.local/share/pnpm/store/v10/files/ab/cd', 'file\n');
    const workspace = project('pnpm', { 'pnpm-lock.yaml': '' });
    const sandbox = await open(workspace, 'P');
    const files = join(user, '.local/share/pnpm/store/v10/files/ab');
    const read = await sandbox.exec({
      command: `echo $npm_config_store_dir; cat ${files}/cd; echo new > ${files}/ef; echo x > ${files}/cd; ls ${files}`,
    });
    expect(read.stdout).toBe(`${join(user, '.local/share/pnpm/store')}\nfile\ncd\nef\n`);
    expect(readdirSync(files)).toEqual(['cd']);
    expect(readFileSync(join(files, 'cd'), 'utf8')).toBe('file\n');
    expect((await (await open(workspace, 'P')).exec({ command: `cat ${files}/ef` })).stdout).toBe('new\n');
    expect((await (await open(workspace, 'Q')).exec({ command: `ls ${files}` })).stdout).toBe('cd\n');
  });

  test.skipIf(!has('go', 'version'))(
    'Go compiles no package that the user has compiled',
    { tags: 'long', timeout: 180_000 },
    async () => {
      const workspace = project('compiled', {
        'go.mod': 'module example.org/app\n\ngo 1.20\n',
        'main.go': 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n',
      });
      const host = { ...process.env, HOME: user, GOCACHE: '', GOPROXY: 'off' };
      execFileSync('go', ['build', '-o', join(place.root, 'app'), '.'], { cwd: workspace, env: host, stdio: 'pipe' });
      const built = await (await open(workspace)).exec({ command: 'go build -x . 2>&1', limits: { cpus: 2 } });
      expect(built.exitCode).toBe(0);
      const compiled = built.output.split('\n').filter((line) => line.includes('/compile -o'));
      expect(compiled.length).toBeLessThanOrEqual(1);
      expect(existsSync(join(workspace, 'app'))).toBe(true);
      rmSync(join(workspace, 'app'));
    },
  );

  test.skipIf(!has('mvn', '-v'))(
    'Maven takes its settings for some',
    async () => {
      const workspace = project('maven', {
        'pom.xml':
          '<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>app</artifactId><version>1</version><packaging>pom</packaging></project>\n',
      });
      const { exitCode, output } = await (await open(workspace)).exec({ command: 'mvn -q validate 2>&1' });
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    },
    120_000,
  );

  test.skipIf(!spawnSync('yarn', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('1.'))(
    'Yarn 1 installs what the user has downloaded from a public registry',
    async () => {
      const files = { 'package.json': '{ "name": "x", "version": "1.0.0" }\n' };
      const workspace = project('yarn1', files);
      // Root has its own default.
      const host = { ...process.env, HOME: user, YARN_CACHE_FOLDER: join(user, '.cache/yarn') };
      await promisify(execFile)('yarn', ['add', 'is-number@7.0.0', '--no-progress'], { cwd: workspace, env: host });
      rmSync(join(workspace, 'node_modules'), { recursive: true });
      // Copied to the workspace, because commands may not see its installation.
      const program = execFileSync('sh', ['-c', 'realpath "$(command -v yarn)"'], { encoding: 'utf8' }).trim();
      cpSync(dirname(dirname(program)), join(workspace, 'yarn'), { recursive: true });
      // It fails if a global npmrc is hidden.
      const command = 'PREFIX=/nowhere node yarn/bin/yarn.js install --offline 2>&1';
      const { exitCode, output } = await (await open(workspace)).exec({ command });
      expect(exitCode === 0 ? '' : output).toBe('');
      expect(existsSync(join(workspace, 'node_modules/is-number/index.js'))).toBe(true);
    },
    120_000,
  );

  test.skipIf(!has('composer', '--version') || !has('tar', '--version'))(
    'Composer installs what the user has downloaded',
    async () => {
      put('one/composer.json', '{ "name": "x/one", "version": "1.0.0" }', place.root);
      execFileSync('tar', ['-cf', 'one.tar', '-C', 'one', 'composer.json'], { cwd: place.root });
      await using server = createServer((_, response) => response.end(readFileSync(join(place.root, 'one.tar'))));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/one.tar`;
      const dist = { url, type: 'tar', reference: 'a'.repeat(40) };
      const workspace = project('php', {
        'composer.json': JSON.stringify({
          config: { 'secure-http': false },
          repositories: [
            { type: 'package', package: { name: 'x/one', version: '1.0.0', dist } },
            { 'packagist.org': false },
          ],
          require: { 'x/one': '1.0.0' },
        }),
      });
      const host = {
        ...process.env,
        HOME: user,
        COMPOSER_HOME: place.root,
        COMPOSER_CACHE_DIR: join(user, '.cache/composer'),
      };
      await promisify(execFile)('composer', ['update', '-q', '-n'], { cwd: workspace, env: host });
      rmSync(join(workspace, 'vendor'), { recursive: true });
      const { exitCode, output } = await (
        await open(workspace)
      ).exec({ command: 'composer install -n', env: { COMPOSER_DISABLE_NETWORK: '1' } });
      expect(exitCode === 0 ? '' : output).toBe('');
      expect(existsSync(join(workspace, 'vendor/x/one/composer.json'))).toBe(true);
    },
    120_000,
  );
});
