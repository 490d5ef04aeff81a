import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSandboxFixture, eventually, findProcesses } from '../../sandbox.fixture.ts';
import { findForeignMount } from './check-mounts.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

using probe = createSandboxFixture();
const { program } = await findBubblewrap({ home: probe.home });

describe.skipIf(!program)('what is mounted at the workspace', () => {
  test.each([
    ['is what was asked for', 'project/a/b', false],
    ['is not, where a symlink to the outside was in the way when it was mounted', 'outside/b', true],
    ['is not, where a symlink to another folder of the workspace was in the way', 'project/other/b', true],
  ] as const)('%s', async (_, source, isForeign) => {
    using place = createSandboxFixture();
    const { root, workspace } = place;
    for (const folder of ['project/a/b', 'project/other/b', 'outside/b'])
      mkdirSync(join(root, folder), { recursive: true });
    const point = join(workspace, 'a/b');
    const base = [
      '--die-with-parent',
      '--unshare-all',
      '--ro-bind',
      '/',
      '/',
      '--bind',
      workspace,
      workspace,
      '--ro-bind',
    ];
    const seconds = `${1_000_000 + process.pid}.${Math.floor(performance.now())}`;
    const child = spawn(program!.path, [...base, join(root, source), point, 'sleep', seconds], { stdio: 'ignore' });
    const findInner = () =>
      findProcesses(seconds).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'));
    try {
      expect(await eventually(() => findInner() !== undefined)).toBe(true);
      const at = { view: { target: workspace, source: workspace }, folders: [workspace] };
      const found = findForeignMount(findInner()!, { ...at, words: [...base, point, point] });
      expect(found).toBe(isForeign ? point : undefined);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
