import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { findMaskParents } from './mask-parents.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);

test('folders are held above what is secret by its place alone', () => {
  const masks = ['/w/.kube/config', '/w/a/b/config/production.yaml', '/w/app/.env', '/w/top', '/elsewhere/x/y'];
  expect(
    findMaskParents(
      masks.map((target) => ({ target, isFolder: false })),
      '/w',
    ),
  ).toEqual(['/w/a', '/w/a/b', '/w/.kube', '/w/a/b/config']);
});

describe.skipIf(!program)('in the sandbox', () => {
  test('a folder above a file that is secret by its place keeps its name, and can be worked in', async () => {
    const secrets = ['config/live/production.yaml', 'app/.env'];
    for (const path of secrets) {
      mkdirSync(join(place.workspace, dirname(path)), { recursive: true });
      writeFileSync(join(place.workspace, path), 'secret\n');
    }
    const masks = async () => secrets.map((path) => join(place.workspace, path));
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap', masks });
    const command = [
      'for folder in config config/live app; do mv $folder moved 2>/dev/null && echo moved $folder && mv moved $folder; done',
      'echo new > config/live/new.txt && mkdir config/other && rm -r config/other && echo written',
      'cat config/live/production.yaml',
    ].join('; ');
    expect((await sandbox.exec({ command })).stdout).toBe('moved app\nwritten\n');
  });
});
