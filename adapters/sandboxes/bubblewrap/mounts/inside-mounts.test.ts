import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSandboxFixture } from '../../sandbox.fixture.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

using found = createSandboxFixture();
const { program } = await findBubblewrap({ home: found.home });

interface Seen {
  /** Lines of mountinfo without what differs between two sandboxes of one kind. */
  mounts: string[];
  rest: string[];
}

/** Mounts of our own, which nobody else sees. */
const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount'] as const;

/** What a command sees. @param hasPerl False: Perl cannot be started. */
function look(hasPerl: boolean): Seen {
  using place = createSandboxFixture();
  const script = join(import.meta.dirname, 'mounts-child.fixture.ts');
  const node = [process.execPath, script, place.workspace, place.home, 'session'];
  const places = '/usr/bin/perl /usr/local/bin/perl';
  const cover = `for perl in ${places}; do [ ! -e $perl ] || mount --bind /dev/null $perl; done; exec "$@"`;
  const [file, ...args] = [...UNSHARE, 'sh', '-c', hasPerl ? 'exec "$@"' : cover, 'sh', ...node];
  const { stdout, exitCode } = JSON.parse(execFileSync(file!, args, { encoding: 'utf8' })) as {
    stdout: string;
    exitCode: number;
  };
  expect(exitCode).toBe(0);
  const lines = stdout.trim().split('\n');
  const isMount = (line: string): boolean => / - /.test(line);
  return {
    mounts: lines
      .filter((line) => isMount(line) && !line.includes('/bin/perl '))
      .map((line) => {
        const [, , , , point, options] = line
          .replaceAll(place.root, '')
          .replaceAll(/\b[0-9a-f]{12,16}\b/g, '…')
          .split(' ');
        return `${point} ${options}`;
      }),
    rest: lines.filter((line) => !isMount(line)),
  };
}

const canCover = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true']).status === 0;

test.skipIf(!program || !canCover)('configuration is read-only whether bubblewrap or Perl mounts it', () => {
  const fast = look(true);
  const slow = look(false);
  expect(fast.rest).toEqual(['fine']);
  expect(slow.rest).toEqual(['fine']);
  expect(fast.mounts.toSorted()).toEqual(slow.mounts.toSorted());
  // By bubblewrap they come before what protects the workspace, by Perl behind everything.
  expect(fast.mounts).not.toEqual(slow.mounts);
});
