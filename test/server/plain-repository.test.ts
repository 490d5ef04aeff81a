// Covers sdk/clone: local repositories that a client of the server may clone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestHome } from '../fixtures/test-home.ts';
import { checkPlainRepository } from '../../sdk/clone/check-plain-repository.ts';

const OTHER = '/srv/other/.git';

test.each<[string, (folder: string) => void]>([
  ['alternates', (folder) => writeFileSync(join(folder, 'objects/info/alternates'), `${OTHER}/objects\n`)],
  ['a common folder', (folder) => writeFileSync(join(folder, 'commondir'), `${OTHER}\n`)],
  ['linked refs', (folder) => replace(folder, 'refs')],
  ['one linked ref', (folder) => symlinkSync(`${OTHER}/refs/heads/main`, join(folder, 'refs/heads/other'))],
  ['linked objects', (folder) => replace(folder, 'objects')],
  ['a linked HEAD', (folder) => replace(folder, 'HEAD')],
  ['linked packed refs', (folder) => symlinkSync(`${OTHER}/packed-refs`, join(folder, 'packed-refs'))],
])('a repository with %s is refused', (_, plant) => {
  using place = createTestHome();
  const folder = join(place.workspace, 'planted.git');
  execFileSync('git', ['init', '-q', '--bare', folder], { env: place.env });
  mkdirSync(join(folder, 'objects/info'), { recursive: true });
  expect(() => checkPlainRepository(folder)).not.toThrow();
  plant(folder);
  expect(() => checkPlainRepository(folder)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('a working tree whose data is elsewhere is refused, and an ordinary one is not', () => {
  using place = createTestHome();
  expect(() => checkPlainRepository(place.workspace)).not.toThrow();
  renameSync(join(place.workspace, '.git'), join(place.workspace, 'moved'));
  writeFileSync(join(place.workspace, '.git'), 'gitdir: moved\n');
  expect(() => checkPlainRepository(place.workspace)).toThrow(expect.objectContaining({ code: 'usage' }));
});

/** Replaces a part of a repository by a link to that of another one. */
function replace(folder: string, name: string): void {
  renameSync(join(folder, name), join(folder, `${name}-before`));
  symlinkSync(join(OTHER, name), join(folder, name));
}
