import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export type Controller = 'memory' | 'cpu' | 'pids';
export const CONTROLLERS = ['memory', 'cpu', 'pids'] as const satisfies readonly Controller[];

/** Folders in which a group for one controller may be created. */
export interface CgroupSite {
  version: 1 | 2;
  /** Folders to try, nearest first. */
  parents: string[];
}

/**
 * Finds the control groups of this process. In version 1 a child of its group is created. In version 2 a group with
 * processes cannot have controlled children, so siblings are possible too: the group and all of its parents.
 *
 * @param mountinfo Content of /proc/self/mountinfo.
 * @param membership Content of /proc/self/cgroup.
 * @source man 7 cgroups, man 5 proc_pid_mountinfo
 */
export function findCgroupSites(mountinfo: string, membership: string): Partial<Record<Controller, CgroupSite>> {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [head = '', tail = ''] = line.split(' - ');
    const [, , , root, path] = head.split(' ');
    const [type, , options] = tail.split(' ');
    return root && path && type ? [{ root, path, type, options: (options ?? '').split(',') }] : [];
  });
  const own = membership.split('\n').map((line) => {
    const [, controllers = '', ...path] = line.split(':');
    return { controllers: controllers.split(','), path: path.join(':') };
  });
  const sites: Partial<Record<Controller, CgroupSite>> = {};
  const unified = mounts.find((mount) => mount.type === 'cgroup2');
  const unifiedPath = own.find((group) => group.controllers[0] === '' && group.path !== '')?.path;
  for (const controller of CONTROLLERS) {
    const mount = mounts.find((each) => each.type === 'cgroup' && each.options.includes(controller));
    const path = own.find((group) => group.controllers.includes(controller))?.path;
    if (mount && path !== undefined) {
      const folder = toFolder(mount, path);
      sites[controller] = { version: 1, parents: folder ? [folder] : [] };
    } else if (unified && unifiedPath !== undefined) {
      const folder = toFolder(unified, unifiedPath);
      sites[controller] = { version: 2, parents: folder ? upTo(folder, unified.path) : [] };
    }
  }
  return sites;
}

/** {@link findCgroupSites} of this process; empty without /proc. */
export function readCgroupSites(): Partial<Record<Controller, CgroupSite>> {
  try {
    return findCgroupSites(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  } catch {
    return {};
  }
}

/** The folder of a group; undefined when it lies outside the mount. */
function toFolder(mount: { root: string; path: string }, group: string): string | undefined {
  const inside = relative(mount.root, group);
  return inside.startsWith('..') || group.includes('/..') ? undefined : join(mount.path, inside);
}

function upTo(folder: string, top: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== top && at.startsWith(top);) {
    at = join(at, '..');
    folders.push(at);
  }
  return folders;
}
