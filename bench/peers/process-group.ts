import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export type ProcessGroup = ReturnType<typeof openProcessGroup>;

/** Where a group can be created, and the file with its CPU time. */
interface Place {
  parent: string;
  /** Folder below the group that processes enter; empty for the group itself. */
  inner: string;
  readCpu: (group: string) => number;
}

const ENTER = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';
/** An emptied group can be busy for a moment. */
const TRIES = 50;
const PREFIX = 'klaus-bench-';
let counter = 0;

/**
 * Everything that one program starts, also what outlives its parent: a control group, which no process leaves by
 * forking, and whose CPU time the kernel counts to the nanosecond, with that of processes that are gone.
 *
 * @throws Error with the reason, where this machine lets us make no group.
 */
export function openProcessGroup() {
  const place = findPlace(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  if (place === undefined) throw new Error('no control group counts CPU time here');
  if (counter === 0) sweep(place);
  const group = join(place.parent, `${PREFIX}${process.pid}-${counter++}`);
  const inner = join(group, place.inner);
  mkdirSync(group);
  if (inner !== group) {
    // What an agent makes for its own sandbox must lie below this group too, or its time would be missing.
    for (const controller of ['cpu', 'memory', 'pids']) allow(group, controller);
    mkdirSync(inner);
  }
  const readPids = (): number[] => [...new Set([group, inner])].flatMap(readMembers);
  return {
    /** Words before a command that begin it inside. */
    enter: ['/bin/sh', '-c', ENTER, 'sh', inner],
    /** Milliseconds of CPU, user and system, of all that is or was inside. */
    readCpu: (): number => place.readCpu(group),
    readPids,
    /** Ends what is still inside and removes the group. */
    async close(): Promise<void> {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        for (const pid of readPids()) kill(pid);
        try {
          if (inner !== group) rmdirSync(inner);
          rmdirSync(group);
          return;
        } catch {
          await pause(20);
        }
      }
    },
  };
}

/**
 * @param mountinfo Content of /proc/self/mountinfo.
 * @param membership Content of /proc/self/cgroup.
 * @source man 7 cgroups; the kernel's admin-guide/cgroup-v1/cpuacct.rst and admin-guide/cgroup-v2.rst
 */
export function findPlace(mountinfo: string, membership: string): Place | undefined {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [head = '', tail = ''] = line.split(' - ');
    const [, , , root = '', path = ''] = head.split(' ');
    const [type, , options = ''] = tail.split(' ');
    return type === 'cgroup' || type === 'cgroup2' ? [{ root, path, type, options: options.split(',') }] : [];
  });
  const own = membership.split('\n').map((line) => {
    const [, controllers = '', ...path] = line.split(':');
    return { controllers: controllers.split(','), path: path.join(':') };
  });
  const toFolder = (mount: { root: string; path: string } | undefined, controller: string): string | undefined => {
    const path = own.find((group) => group.controllers.includes(controller))?.path;
    if (mount === undefined || path === undefined || path.includes('/..')) return undefined;
    return join(mount.path, mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path);
  };
  const first = toFolder(
    mounts.find((mount) => mount.type === 'cgroup' && mount.options.includes('cpuacct')),
    'cpuacct',
  );
  if (first !== undefined) return { parent: first, inner: '', readCpu: readCpuacct };
  const unified = toFolder(
    mounts.find((mount) => mount.type === 'cgroup2'),
    '',
  );
  // A group with processes may have no groups with limits below it: processes enter one step further down.
  return unified === undefined ? undefined : { parent: unified, inner: 'agent', readCpu: readCpuStat };
}

/** Nanoseconds, groups below included. */
function readCpuacct(group: string): number {
  return Number(readFileSync(join(group, 'cpuacct.usage'), 'utf8')) / 1e6;
}

/** Microseconds, groups below included. */
function readCpuStat(group: string): number {
  const stat = readFileSync(join(group, 'cpu.stat'), 'utf8');
  return Number(/^usage_usec (\d+)$/m.exec(stat)![1]) / 1e3;
}

/** Ends and removes what a bench left that was killed. */
function sweep({ parent, inner }: Place): void {
  for (const name of readdirSync(parent)) {
    const owner = Number(new RegExp(`^${PREFIX}(\\d+)-\\d+$`).exec(name)?.[1]);
    if (Number.isNaN(owner) || existsSync(`/proc/${owner}`)) continue;
    for (const folder of new Set([join(parent, name, inner), join(parent, name)])) {
      try {
        for (const pid of readMembers(folder)) kill(pid);
        rmdirSync(folder);
      } catch {
        // Busy for a moment, or gone: the next bench looks again.
      }
    }
  }
}

function readMembers(folder: string): number[] {
  return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
}

function allow(group: string, controller: string): void {
  try {
    writeFileSync(join(group, 'cgroup.subtree_control'), `+${controller}`);
  } catch {
    // The groups above do not hand it on; then nothing in here can use it either.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/**
 * MiB that the processes hold, each page divided by the number of processes that share it (proportional set size):
 * what would be free if all of them ended.
 *
 * @source man 5 proc_pid_smaps: smaps_rollup
 */
export function readMemory(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readPss(pid), 0) / 1_024;
}

/** KiB; 0 for a process that is gone. */
function readPss(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
