import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findBubblewrap } from './bubblewrap/find-bubblewrap.ts';
import { createSandbox } from './index.ts';
import { findModuleProxy } from './module-proxy.ts';
import { createSandboxFixture } from './sandbox.fixture.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);
const hasGo = spawnSync('go', ['version']).status === 0 && spawnSync('zip', ['-v']).status === 0;

test('the folder is found by the variables of Go', () => {
  const home = join(place.root, 'someone');
  const folder = join(home, 'go/pkg/mod/cache/download');
  expect(findModuleProxy({ HOME: home }, {})).toBeUndefined();
  mkdirSync(folder, { recursive: true });
  const url = `file://${folder}`;
  expect(findModuleProxy({ HOME: home }, {})).toMatchObject({ folder });
  expect(findModuleProxy({ GOPATH: join(home, 'go') }, {})!.variables).toEqual({ GOPROXY: `${url},off` });
  const env = { GOMODCACHE: join(home, 'go/pkg/mod'), GOPROXY: 'https://go.example.org' };
  expect(findModuleProxy(env, { network: true })!.variables).toEqual({ GOPROXY: `${url},https://go.example.org` });
});

/** A downloaded module, and a project that needs it, with its checksums. */
function makeProject(home: string): void {
  const made = join(place.root, 'made');
  const name = 'example.org/greet@v1.0.0';
  mkdirSync(join(made, name), { recursive: true });
  writeFileSync(join(made, name, 'go.mod'), 'module example.org/greet\n\ngo 1.20\n');
  writeFileSync(join(made, name, 'greet.go'), 'package greet\n\nconst Word = "hello from the cache"\n');
  const versions = join(home, 'go/pkg/mod/cache/download/example.org/greet/@v');
  mkdirSync(versions, { recursive: true });
  execFileSync('zip', ['-q', '-r', join(versions, 'v1.0.0.zip'), name], { cwd: made });
  writeFileSync(join(versions, 'v1.0.0.mod'), 'module example.org/greet\n\ngo 1.20\n');
  writeFileSync(join(versions, 'v1.0.0.info'), '{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}\n');
  writeFileSync(join(versions, 'list'), 'v1.0.0\n');
  writeFileSync(
    join(place.workspace, 'go.mod'),
    'module example.org/app\n\ngo 1.20\n\nrequire example.org/greet v1.0.0\n',
  );
  writeFileSync(
    join(place.workspace, 'main.go'),
    'package main\n\nimport "example.org/greet"\n\nfunc main() { println(greet.Word) }\n',
  );
  const proxy = `file://${join(home, 'go/pkg/mod/cache/download')}`;
  const elsewhere = { GOPATH: join(place.root, 'elsewhere'), GOCACHE: join(place.root, 'elsewhere-cache') };
  const env = {
    ...process.env,
    ...elsewhere,
    GOPROXY: proxy,
    GONOSUMDB: '*',
    GOSUMDB: 'off',
    GOFLAGS: '-mod=mod -modcacherw',
  };
  execFileSync('go', ['mod', 'tidy'], { cwd: place.workspace, env, stdio: 'pipe' });
}

test.skipIf(!program || !hasGo)(
  'a build without network uses modules of the user, and does not change them',
  async () => {
    const home = join(place.root, 'user');
    makeProject(home);
    const env = { PATH: process.env['PATH'], HOME: home };
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap', env });
    const list = () => new Set(readdirSync(join(home, 'go/pkg/mod'), { recursive: true, encoding: 'utf8' }));
    const before = list();
    const built = await sandbox.exec({ command: 'go run . 2>&1', limits: { cpus: 2 } });
    expect(built).toMatchObject({ exitCode: 0, output: expect.stringContaining('hello from the cache') });
    const missing = await sandbox.exec({ command: 'go get example.org/other@v1.0.0 2>&1' });
    expect(missing).toMatchObject({ exitCode: 1, output: expect.stringContaining('GOPROXY=off') });
    const written = await sandbox.exec({ command: `echo x > ${home}/go/pkg/mod/cache/download/x` });
    expect(written.exitCode).not.toBe(0);
    expect(list()).toEqual(before);
  },
  180_000,
);
