import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSandbox } from '../create-sandbox.ts';
import { createSandboxFixture, type SandboxFixture } from '../sandbox.fixture.ts';
import { findBindMasks, findBoundGit } from './bind-masks.ts';

let place: SandboxFixture;
beforeEach(() => {
  place = createSandboxFixture();
});
afterEach(() => place[Symbol.dispose]());

const at = (path: string) => join(place.root, path);
function put(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), 'secret\n');
  }
}
async function find(binds: readonly string[], hidesGit = true): Promise<string[]> {
  const except = [place.workspace, place.home];
  const userHomes = [at('user')];
  const masks = await findBindMasks({
    home: at('state'),
    binds: binds.map(at),
    except,
    known: [],
    userHomes,
    hidesGit,
  });
  return masks.map(({ target }) => relative(place.root, target)).sort();
}

describe('masks of bound folders', () => {
  test('hide credentials, version control and every other name of them', async () => {
    put(
      'kit/lib/.env',
      'kit/lib/a/b/npmrc',
      'kit/lib/ok.txt',
      'kit/share/plain',
      'kit/lib/x/.git/config',
      'user/.netrc',
    );
    symlinkSync('../share/plain', at('kit/lib/.env.local'));
    linkSync(at('user/.netrc'), at('kit/lib/harmless'));
    expect(await find(['kit/lib', 'kit/share'])).toEqual(
      ['.env', 'a/b/npmrc', 'harmless', 'x/.git'].map((path) => `kit/lib/${path}`).concat('kit/share/plain'),
    );
  });

  test('are those of the place inside, where the folder is a symlink outside', async () => {
    put('real/.env');
    symlinkSync('real', at('bound'));
    expect(await find(['bound'])).toEqual(['bound/.env']);
  });

  test('follow what changes, and leave the workspace alone', async () => {
    put('kit/.env', 'project/.env');
    expect(await find(['kit'])).toEqual(['kit/.env']);
    put('kit/new/.npmrc');
    rmSync(at('kit/.env'));
    expect(await find(['kit'])).toEqual(['kit/new/.npmrc']);
    expect(await find(['.'])).toEqual(['kit/new/.npmrc']);
  });

  test('leave the test keys of published toolchains alone', async () => {
    put('py/lib/python3.13/test/keycert.pem', 'py/lib/python3.13/test/.env', 'go/src/crypto/tls/testdata/server.key');
    expect(await find(['py', 'go'])).toEqual(['py/lib/python3.13/test/.env']);
  });

  test('hide a folder whole that holds very many', async () => {
    put(...Array.from({ length: 201 }, (_, index) => `kit/p${index}/.env`));
    expect(await find(['kit'])).toEqual(['kit']);
  });

  test('keep repositories of granted folders in sight', async () => {
    put('granted/.git/config', 'granted/.env');
    expect(await find(['granted'], false)).toEqual(['granted/.env']);
    const binds = [{ path: at('granted'), writable: true }];
    expect(findBoundGit(binds)).toEqual([at('granted/.git')]);
    expect(findBoundGit([{ path: at('granted'), writable: false }])).toEqual([]);
  });
});

const hasBubblewrap = ((): boolean => {
  try {
    execFileSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasBubblewrap)('a granted folder shows no credentials, and its repository cannot be changed', async () => {
  mkdirSync(at('granted'));
  execFileSync('git', ['init', '-q', at('granted')]);
  put('granted/.env', 'granted/notes');
  const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
  const result = await sandbox.exec({
    command: 'cd "$1" || exit; cat .env; cat notes; echo more >> notes; echo x >> .git/config'.replace(
      '$1',
      at('granted'),
    ),
    binds: [{ path: at('granted'), writable: true }],
  });
  expect(result.stdout).toBe('secret\n');
  expect(readFileSync(at('granted/notes'), 'utf8')).toBe('secret\nmore\n');
  expect(readFileSync(at('granted/.git/config'), 'utf8')).not.toContain('x\n');
});
