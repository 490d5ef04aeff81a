import { expect, test } from 'vitest';
import { findCgroupSites } from './cgroup-mounts.ts';

test('version 1: a child of our own group, each controller by itself', () => {
  const mountinfo = [
    '30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct',
    '31 29 0:27 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory',
    '32 29 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
  ].join('\n');
  expect(findCgroupSites(mountinfo, '9:memory:/jobs/one\n4:cpu,cpuacct:/\n0::/\n')).toEqual({
    memory: { version: 1, parents: ['/sys/fs/cgroup/memory/jobs/one'] },
    cpu: { version: 1, parents: ['/sys/fs/cgroup/cpu,cpuacct'] },
    // Not mounted as version 1: the unified hierarchy may have it.
    pids: { version: 2, parents: ['/sys/fs/cgroup/unified'] },
  });
});

test('version 2: our own group and those above it', () => {
  const sites = findCgroupSites(
    '24 1 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate',
    '0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n',
  );
  expect(sites.pids?.parents.slice(0, 2)).toEqual([
    '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope',
    '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice',
  ]);
  expect(sites.pids?.parents.at(-1)).toBe('/sys/fs/cgroup');
});

test('a group outside of what is mounted is not touched', () => {
  const mountinfo = '24 1 0:22 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw';
  expect(findCgroupSites(mountinfo, '0::/docker/abc/in\n').memory?.parents).toEqual([
    '/sys/fs/cgroup/in',
    '/sys/fs/cgroup',
  ]);
  expect(findCgroupSites(mountinfo, '0::/other\n').memory?.parents).toEqual([]);
  expect(findCgroupSites('', '')).toEqual({});
});
