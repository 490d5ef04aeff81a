import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandbox, saveDownloads } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);

const user = join(place.root, 'user');
mkdirSync(user);
const env = { PATH: process.env['PATH'], HOME: user };
const project = (name: string): string => {
  const workspace = join(place.root, name);
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'Cargo.toml'), '');
  return workspace;
};
const run = async (workspace: string, session: string, command: string) => {
  const sandbox = await createSandbox({ workspace, home: place.home, choice: 'bubblewrap', env, session });
  return (await sandbox.exec({ command })).output;
};

describe.skipIf(!program)('what a session downloaded', () => {
  test('is in the homes of later sessions of the workspace, which cannot change it', async () => {
    const workspace = project('one');
    const crates = '~/.cargo/registry/cache/index';
    const fill = [
      `mkdir -p ${crates} ~/.cache/uv/archive-v0/id ~/.cache/uv/wheels-v8/pypi/six ~/.cargo/bin`,
      `echo crate > ${crates}/a.crate && echo code > ~/.cache/uv/archive-v0/id/six.py && echo bad > ~/.cargo/bin/cargo`,
      'ln -s ../../../archive-v0/id ~/.cache/uv/wheels-v8/pypi/six/1.0',
    ].join('\n');
    await run(workspace, 'fetch', fill);
    expect(saveDownloads(place.home, { workspace, session: 'fetch' })).toBe(3);
    const look = `cat ${crates}/a.crate ~/.cache/uv/wheels-v8/pypi/six/1.0/six.py; ls ~/.cargo/bin 2>&1`;
    expect(await run(workspace, 'later', look)).toMatch(/^crate\ncode\nls: /);
    const change = [
      `echo planted > ${crates}/a.crate`,
      'for f in $(find ~/.klaus-fetched -type f); do echo planted > $f; rm -f $f; done',
      `rm ${crates}/a.crate && echo planted > ${crates}/a.crate && cat ${crates}/a.crate`,
    ].join('\n');
    expect(await run(workspace, 'hostile', change)).toMatch(/Read-only file system[^]*\nplanted\n$/);
    expect(await run(workspace, 'last', look)).toMatch(/^crate\ncode\n/);
    expect(await run(project('other'), 'other', `cat ${crates}/a.crate 2>&1`)).toContain('No such file');
  });

  test('no link of a command leads to files that are taken over', async () => {
    const workspace = project('links');
    const outside = join(place.root, 'outside');
    mkdirSync(join(outside, 'cache'), { recursive: true });
    writeFileSync(join(outside, 'cache', 'a.crate'), 'mine\n');
    const plant = [
      `mkdir -p ~/.cargo && ln -s ${outside} ~/.cargo/registry`,
      `mkdir -p ~/.m2/repository/a ~/.cache && ln -s ${outside}/cache ~/.m2/repository/linked`,
      `ln -s ../../../../../../../../../${outside}/cache/a.crate ~/.m2/repository/a/a.jar && ln -s ${outside} ~/.cache/uv`,
    ].join('\n');
    await run(workspace, 'planting', plant);
    expect(saveDownloads(place.home, { workspace, session: 'planting' })).toBe(0);
    expect(readdirSync(join(outside, 'cache'))).toEqual(['a.crate']);
  });
});
