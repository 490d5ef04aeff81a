import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandboxFixture } from '../../sandbox.fixture.ts';
import { findToolchains } from './toolchains.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const userHome = join(place.root, 'user');

function find(folders: readonly string[], env: Record<string, string> = {}) {
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const given = { PATH: folders.join(':'), ...env };
  return findToolchains({ ...place, userHome, execPath: '/usr/bin/node', env: given });
}

const at = (path: string) => join(userHome, path);

/** Files by path; a path with a slash at its end is a folder, a name in `bin` a program. */
function put(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(path.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!path.endsWith('/'))
      writeFileSync(path, '#!/bin/sh\n', { mode: dirname(path).endsWith('/bin') ? 0o755 : 0o644 });
  }
}

test('binds what programs need, and not what lies beside it', () => {
  const kept = ['.nvm/versions/node/v24/lib/', 'sdk/go1.25/lib/', '.pyenv/versions/'];
  const siblings = ['.cargo/registry/', '.cargo/credentials.toml', '.local/lib/', '.local/share/keyrings/', 'go/pkg/'];
  const beside = ['.nvm/.git/', '.nvm/.env', '.pyenv/.git/', 'sdk/go1.25/.env', 'sdk/go1.25/etc/npmrc'];
  put(...[...kept, ...siblings, ...beside].map(at));
  const found = find(
    ['.nvm/versions/node/v24/bin', '.cargo/bin', '.local/bin', '.pyenv/shims', 'go/bin', 'sdk/go1.25/bin'].map(at),
  );
  const shown = '.cargo/bin .local/bin .nvm/versions .pyenv/shims';
  expect(found.binds).toEqual(
    [...shown.split(' '), '.pyenv/versions', 'go/bin', 'sdk/go1.25/bin', 'sdk/go1.25/lib'].map(at).sort(),
  );
});

test.each([
  ['Go', 'bin/go src/runtime/x pkg/ VERSION', 'bin pkg src VERSION'],
  ['a JDK', 'bin/java lib/ conf/ jmods/ release demo/', 'bin conf jmods lib release'],
  ['a Python environment', 'bin/python lib/ pyvenv.cfg .env', 'bin lib pyvenv.cfg'],
  ['gems', 'bin/rake gems/ specifications/ cache/', 'bin gems specifications'],
  ['Maven', 'bin/mvn boot/ lib/ conf/settings.xml conf/logging/', 'bin boot conf/logging lib'],
])('knows the parts of %s', (name, files, parts) => {
  const root = join(place.root, 'kinds', name);
  put(...files.split(' ').map((path) => join(root, path)));
  expect(find([join(root, 'bin')]).binds).toEqual(
    parts
      .split(' ')
      .map((part) => join(root, part))
      .sort(),
  );
});

test('follows the links between programs, with the toolchains that they lead to', () => {
  const tools = join(place.root, 'linked');
  const inside = (path: string) => join(tools, path);
  put(...['links/', 'venvs/foo/bin/foo', 'venvs/foo/lib/', 'venvs/foo/pyvenv.cfg', 'venvs/foo/.env'].map(inside));
  put(
    ...['base/bin/python3', 'base/lib/', 'one/bin/single', 'private/notes', 'modules/node_modules/a/cli.js'].map(
      inside,
    ),
  );
  writeFileSync(inside('venvs/foo/pyvenv.cfg'), `home = ${inside('base/bin')}\nversion = 3.13\n`);
  mkdirSync(inside('start/bin'), { recursive: true });
  chmodSync(inside('modules/node_modules/a/cli.js'), 0o755);
  for (const path of ['venvs/foo/bin/foo', 'private/notes', 'modules/node_modules/a/cli.js', 'one/bin/single'])
    symlinkSync(inside(path), inside(`start/bin/${basename(path)}`));
  const parts = 'base/bin base/lib modules/node_modules one/bin start/bin venvs/foo/bin venvs/foo/lib';
  expect(find([inside('start/bin')]).binds).toEqual([...parts.split(' '), 'venvs/foo/pyvenv.cfg'].map(inside).sort());
});

test('binds the programs alone of a folder that holds other things', () => {
  const mixed = join(place.root, 'mixed');
  put(...['app/run', 'app/.env', 'app/data/', 'repo/bin/tool', 'repo/bin/.git/'].map((path) => join(mixed, path)));
  chmodSync(join(mixed, 'app/run'), 0o755);
  expect(find([join(mixed, 'app'), join(mixed, 'repo/bin')]).binds).toEqual([
    join(mixed, 'app/run'),
    join(mixed, 'repo/bin/tool'),
  ]);
});

test('binds no part that leads to another place', () => {
  const root = join(place.root, 'leading');
  put(...['bin/tool', 'private/notes', 'other/lib/'].map((path) => join(root, path)), at('private/x'));
  for (const [name, target] of [
    ['lib', userHome],
    ['share', at('private')],
    ['include', join(place.root, 'state')],
    ['lib64', join(root, 'other/lib')],
  ] as const)
    symlinkSync(target, join(root, name));
  expect(find([join(root, 'bin')]).binds).toEqual([join(root, 'bin'), join(root, 'lib64')]);
});

test.each(['/', '/home', '/opt', '/etc', '/proc/self', '/no such/folder', '/tmp/..', '/root/../etc'])(
  'does not bind %s',
  (entry) => {
    const env = { PATH: `${entry}:relative/bin:` };
    expect(findToolchains({ ...place, userHome, execPath: '/usr/bin/node', env }).binds).toEqual([]);
  },
);

test("never binds the user's home, Klaus's own state or what holds them", () => {
  const found = find([userHome, place.root, join(place.home, 'bin'), '/']);
  expect(found.binds).toEqual([]);
  expect(found.path).toBe([join(place.workspace, 'node_modules/.bin'), '/usr/bin', '/usr/local/bin', '/bin'].join(':'));
});

test("keeps the order of PATH, without other projects' programs", () => {
  const own = join(place.workspace, 'tools');
  const other = join(place.root, 'other', 'node_modules', '.bin');
  const found = find([own, other, '/usr/local/bin', '/usr/bin', '/bin']);
  expect(found.path.split(':').slice(0, 3)).toEqual([
    join(place.workspace, 'node_modules/.bin'),
    own,
    '/usr/local/bin',
  ]);
  expect(found.path).not.toContain(other);
});

test('keeps the variables whose place is visible', () => {
  const java = join(place.root, 'opt', 'jdk');
  const found = find([join(java, 'bin')], {
    JAVA_HOME: java,
    GOROOT: join(userHome, 'secret'),
    NVM_DIR: '/usr/lib/nvm',
  });
  expect(found.env).toEqual({ JAVA_HOME: java, NVM_DIR: '/usr/lib/nvm' });
});
