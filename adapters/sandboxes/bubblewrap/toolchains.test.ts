import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPlace } from '../sandbox.fixture.ts';
import { findToolchains } from './toolchains.ts';

const place = createPlace();
afterAll(() => place[Symbol.dispose]());
const userHome = join(place.root, 'user');

function find(folders: readonly string[], env: Record<string, string> = {}) {
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const given = { PATH: folders.join(':'), ...env };
  return findToolchains({ ...place, userHome, execPath: '/usr/bin/node', env: given });
}

test('binds what programs need, and not what lies beside it', () => {
  const at = (path: string) => join(userHome, path);
  const siblings = ['.cargo/registry', '.local/lib', '.local/share/keyrings', 'go/pkg'].map(at);
  for (const folder of siblings) mkdirSync(folder, { recursive: true });
  const found = find(
    ['.nvm/versions/node/v24/bin', '.cargo/bin', '.local/bin', '.pyenv/shims', 'go/bin', 'sdk/go1.25/bin'].map(at),
  );
  expect(found.binds).toEqual(
    ['.cargo/bin', '.local/bin', '.local/lib', '.nvm', '.pyenv', 'go/bin', 'sdk/go1.25'].map(at).sort(),
  );
});

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
