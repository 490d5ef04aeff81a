import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecLimits } from '@klaus/core/agent';
import { listNames } from '@klaus/adapters/system';
import { isGone, ownName } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';
import { CONTROLLERS, readCgroupSites, type CgroupSite, type Controller } from './cgroup-mounts.ts';

const MIB = 1_048_576;
const CPU_PERIOD_US = 100_000;
/** An empty group can stay busy for a short time. */
const REMOVE_TRIES = 12;

interface Part {
  controller: Controller;
  version: 1 | 2;
  folder: string;
}

let swept = false;
let counter = 0;

/**
 * A control group for one command. The kernel enforces the limits for all processes of the command together. A process
 * cannot leave its group without write access to the hierarchy.
 */
export class ResourceGroup {
  readonly #parts: readonly Part[];
  readonly #folders: ReadonlySet<string>;
  readonly #limits: ExecLimits;

  private constructor(parts: readonly Part[], folders: ReadonlySet<string>, limits: ExecLimits) {
    this.#parts = parts;
    this.#folders = folders;
    this.#limits = limits;
  }

  /**
   * Creates a group with the limits. Unavailable controllers are not in {@link controllers}.
   *
   * @param lasting Name of a group that outlives this Klaus process, so that it is not removed as stale.
   */
  static open(limits: ExecLimits, omitted?: ReadonlySet<Controller>, lasting?: string): ResourceGroup {
    const sites = readCgroupSites();
    if (!swept) sweepGroups(Object.values(sites).flatMap((site) => site.parents));
    swept = true;
    const name = lasting === undefined ? `klaus-${ownName()}-${counter++}` : `klaus-process-${lasting}`;
    const wanted = CONTROLLERS.filter((controller) => !omitted?.has(controller));
    const made = wanted.flatMap((controller) => makePart(sites[controller], controller, name) ?? []);
    const parts = made.filter((part) => writeLimits(part, limits));
    return new ResourceGroup(parts, new Set(made.map((part) => part.folder)), limits);
  }

  get #limiting(): Set<string> {
    return new Set(this.#parts.map((part) => part.folder));
  }

  get controllers(): ReadonlySet<Controller> {
    return new Set(this.#parts.map((part) => part.controller));
  }

  /**
   * Moves a process into the group without blocking: the kernel needs milliseconds. Children that it forks at the same
   * time may be outside, so {@link add} them when the promise has resolved.
   */
  async enter(pid: number): Promise<void> {
    const files = [...this.#limiting].map((folder) => join(folder, 'cgroup.procs'));
    // The exit of the process already reports that it has ended.
    await Promise.allSettled(files.map((file) => writeFile(file, String(pid))));
  }

  /** Moves processes into the group. Children that they fork later are in the group too. */
  async add(pids: readonly number[]): Promise<void> {
    const missing = [...this.#limiting].flatMap((folder) => {
      const members = new Set(readMembers(folder));
      return pids.filter((pid) => !members.has(pid)).map((pid) => ({ file: join(folder, 'cgroup.procs'), pid }));
    });
    await Promise.all(missing.map(({ file, pid }) => writeFile(file, String(pid))));
  }

  kill(): void {
    for (const pid of this.members()) sendSignal(pid, 'SIGKILL');
  }

  members(): number[] {
    const first = this.#parts[0];
    return first ? readMembers(first.folder) : [];
  }

  exceeded(): string[] {
    const found: string[] = [];
    for (const { controller, version, folder } of this.#parts) {
      if (controller === 'memory') {
        const file = version === 1 ? 'memory.oom_control' : 'memory.events';
        if (readCount(join(folder, file), 'oom_kill') > 0) {
          found.push(`memory: a process was ended at the limit of ${this.#limits.memoryMb} MiB`);
        }
      } else if (controller === 'pids' && readCount(join(folder, 'pids.events'), 'max') > 0) {
        found.push(`processes: a process could not be started at the limit of ${this.#limits.processes}`);
      }
    }
    return found;
  }

  /** Folder of a version 2 group, which can be frozen; undefined if there is none. */
  get freezable(): string | undefined {
    return this.#parts.find((part) => part.version === 2)?.folder;
  }

  /** Folders for {@link closeGroups}, which works without this object. */
  get folders(): readonly string[] {
    return [...this.#folders];
  }

  /** Removes the group. Kills its members first, unless `ends` is false. */
  async close(ends = true): Promise<void> {
    await removeFolders(this.#folders, () => ends && this.kill());
  }
}

/** A name with the process that created the group, and a number. */
const NAME = /^klaus-(.+)-\d+$/;

/** Removes groups of ended Klaus processes, and kills their members. A busy group is left for the next call. */
export function sweepGroups(parents: readonly string[]): void {
  for (const parent of new Set(parents)) {
    for (const name of listNames(parent)) {
      const owner = NAME.exec(name)?.[1];
      if (owner === undefined || !isGone(owner)) continue;
      const folder = join(parent, name);
      try {
        for (const member of readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean)) {
          sendSignal(Number(member), 'SIGKILL');
        }
        rmdirSync(folder);
      } catch {
        // It is busy until its members are reaped, or another Klaus process has removed it.
      }
    }
  }
}

/** Kills the members of groups that another Klaus process created, and removes the groups. */
export async function closeGroups(folders: readonly string[]): Promise<void> {
  await removeFolders(folders, () => {
    for (const pid of folders.flatMap(readMembers)) sendSignal(pid, 'SIGKILL');
  });
}

async function removeFolders(given: Iterable<string>, end: () => void): Promise<void> {
  const folders = new Set(given);
  for (let attempt = 0; attempt < REMOVE_TRIES && folders.size > 0; attempt++) {
    if (attempt > 0) await sleep(Math.min(2 ** attempt, 100));
    end();
    for (const folder of folders) if (removeFolder(folder)) folders.delete(folder);
  }
}

/** Members of a group; empty when it does not exist. */
function readMembers(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** True when the group does not exist any more. */
function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function makePart(site: CgroupSite | undefined, controller: Controller, name: string): Part | undefined {
  for (const parent of site?.parents ?? []) {
    try {
      if (site!.version === 2 && !readWords(join(parent, 'cgroup.subtree_control')).includes(controller)) continue;
      const folder = join(parent, name);
      mkdirSync(folder, { recursive: true });
      return { controller, version: site!.version, folder };
    } catch {
      // Not writable: the next parent may be.
    }
  }
  return undefined;
}

/** False when the kernel rejects a limit. */
function writeLimits(part: Part, limits: ExecLimits): boolean {
  const { controller, version, folder } = part;
  const bytes = String(Math.round(limits.memoryMb * MIB));
  const quota = Math.max(1_000, Math.round(limits.cpus * CPU_PERIOD_US));
  // Two more: the program that creates the sandbox, and the init process in it.
  const processes = String(Math.round(limits.processes) + 2);
  const set = (file: string, value: string) => writeFileSync(join(folder, file), value);
  try {
    if (controller === 'pids') set('pids.max', processes);
    else if (controller === 'cpu' && version === 2) set('cpu.max', `${quota} ${CPU_PERIOD_US}`);
    else if (controller === 'cpu') {
      set('cpu.cfs_period_us', String(CPU_PERIOD_US));
      set('cpu.cfs_quota_us', String(quota));
    } else {
      set(version === 2 ? 'memory.max' : 'memory.limit_in_bytes', bytes);
      try {
        set(version === 2 ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes', version === 2 ? '0' : bytes);
      } catch {
        // The kernel does not count swap, or the machine has none.
      }
    }
    return true;
  } catch {
    return false;
  }
}

function readWords(file: string): string[] {
  return readFileSync(file, 'latin1').trim().split(/\s+/);
}

/** A counter from a file of `name value` lines; 0 when it is missing. */
function readCount(file: string, name: string): number {
  try {
    const line = readFileSync(file, 'latin1')
      .split('\n')
      .find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  } catch {
    return 0;
  }
}
