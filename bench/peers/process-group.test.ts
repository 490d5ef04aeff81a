import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlace, openProcessGroup, type ProcessGroup, readMemory } from './process-group.ts';

const MOUNTS_V2 = '30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw';
const MOUNTS_V1 = [
  '31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '33 24 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n');

test('the group that counts is found in both versions, also inside a container', () => {
  expect(findPlace(MOUNTS_V2, '0::/user.slice/a.scope')).toMatchObject({
    parent: '/sys/fs/cgroup/user.slice/a.scope',
    inner: 'agent',
  });
  expect(findPlace(MOUNTS_V1, '4:cpu,cpuacct:/jobs\n3:memory:/\n0::/')).toMatchObject({
    parent: '/sys/fs/cgroup/cpu,cpuacct/jobs',
    inner: '',
  });
  const mounted = '30 24 0:26 /docker/abc /sys/fs/cgroup rw - cgroup cgroup rw,cpuacct';
  expect(findPlace(mounted, '4:cpuacct:/docker/abc/x')).toMatchObject({ parent: '/sys/fs/cgroup/x' });
  expect(findPlace('', '')).toBeUndefined();
});

function open(): ProcessGroup | string {
  try {
    return openProcessGroup();
  } catch (error) {
    return String(error);
  }
}

test('what outlives its parent is counted, seen and ended too', async (context) => {
  const group = open();
  if (typeof group === 'string') return context.skip(true, `no control group can be made here: ${group}`);
  const [program = '', ...words] = group.enter;
  // The shell is gone at once; what it leaves behind has a session of its own.
  const script = 'setsid sh -c "while :; do :; done" >/dev/null 2>&1 & exit 7';
  const { status } = spawnSync(program, [...words, '/bin/sh', '-c', script], { stdio: 'ignore' });
  expect(status).toBe(7);
  // `setsid` is replaced by the loop a moment later.
  while (group.readPids().length !== 1 || readMemory(group.readPids()) === 0) spawnSync('true');
  const before = group.readCpu();
  while (group.readCpu() <= before) spawnSync('true');
  await group.close();
  // The kernel removes no group that has a living process.
  expect(() => group.readPids()).toThrow('ENOENT');
});

test('what a killed bench left is ended by the next', (context) => {
  const group = open();
  if (typeof group === 'string') return context.skip(true, `no control group can be made here: ${group}`);
  const script = [
    "const { openProcessGroup } = await import('./process-group.ts');",
    'const [program, ...words] = openProcessGroup().enter;',
    "const { spawnSync } = await import('node:child_process');",
    "spawnSync(program, [...words, '/bin/sh', '-c', 'setsid sleep 300 >/dev/null 2>&1 &'], { stdio: 'ignore' });",
    'console.log(words.at(-1));',
    "process.kill(process.pid, 'SIGKILL');",
  ].join('\n');
  const run = (code: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname, encoding: 'utf8' });
  const left = run(script).stdout.trim();
  expect(readFileSync(join(left, 'cgroup.procs'), 'utf8')).toMatch(/^\d+\n$/);
  const close = "await (await import('./process-group.ts')).openProcessGroup().close();";
  // The first ends the process; a group can be busy until its last one has been reaped.
  for (let attempt = 0; attempt < 100 && existsSync(left); attempt++) expect(run(close).status).toBe(0);
  expect(existsSync(left)).toBe(false);
  return group.close();
});
