import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecLimits } from '@klaus/core/agent';
import { ownName } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';
import { CONTROLLERS, readCgroupSites } from './cgroup-mounts.ts';
import type { CgroupSite, Controller } from './cgroup-mounts.ts';
import { sweepGroups } from './stale-groups.ts';

const MIB = 1_048_576;
const CPU_PERIOD_US = 100_000;
/** An emptied group can be busy for a moment. */
const REMOVE_TRIES = 12;

interface Part {
  controller: Controller;
  version: 1 | 2;
  folder: string;
}

let swept = false;
let counter = 0;

/**
 * A control group for one command. The kernel holds the limits for the whole tree, whatever it forks; a process
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
   * Makes a group with the limits. Controllers that cannot be used are not in {@link controllers}.
   *
   * @param omitted Controllers to leave out.
   * @param lasting Names a group that outlives this Klaus, so that no sweep takes it for a leftover.
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

  get #holding(): Set<string> {
    return new Set(this.#parts.map((part) => part.folder));
  }

  /** Controllers that hold. */
  get controllers(): ReadonlySet<Controller> {
    return new Set(this.#parts.map((part) => part.controller));
  }

  /**
   * Begins to move a process in, without standing still for it: the kernel takes milliseconds. What it forks
   * meanwhile may be born outside, so {@link add} those when this has settled.
   */
  async enter(pid: number): Promise<void> {
    const files = [...this.#holding].map((folder) => join(folder, 'cgroup.procs'));
    // A process that has just ended is an error which its exit tells.
    await Promise.allSettled(files.map((file) => writeFile(file, String(pid))));
  }

  /** Moves processes in that are not yet; what they fork from now on is born inside. */
  async add(pids: readonly number[]): Promise<void> {
    const missing = [...this.#holding].flatMap((folder) => {
      const members = new Set(readMembers(folder));
      return pids.filter((pid) => !members.has(pid)).map((pid) => ({ file: join(folder, 'cgroup.procs'), pid }));
    });
    await Promise.all(missing.map(({ file, pid }) => writeFile(file, String(pid))));
  }

  /** Ends every member. */
  kill(): void {
    for (const pid of this.members()) sendSignal(pid, 'SIGKILL');
  }

  members(): number[] {
    const first = this.#parts[0];
    return first ? readMembers(first.folder) : [];
  }

  /** Limits that the command ran into, as sentences for people. */
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

  /** Folder of a version 2 group, which can be frozen; undefined where there is none. */
  get freezable(): string | undefined {
    return this.#parts.find((part) => part.version === 2)?.folder;
  }

  /** For {@link closeGroups}, when this object is gone. */
  get folders(): readonly string[] {
    return [...this.#folders];
  }

  /** Removes the group. What is still in it is ended first, unless `ends` is false. */
  async close(ends = true): Promise<void> {
    await removeFolders(this.#folders, () => ends && this.kill());
  }
}

/** Ends what is left in groups of an earlier Klaus, and removes them. */
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

/** Members of a group by its folder; empty when it is gone. */
function readMembers(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** True when the group is no more. */
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
      // Not ours to write: the next one up may be.
    }
  }
  return undefined;
}

/** False when the kernel refuses. */
function writeLimits(part: Part, limits: ExecLimits): boolean {
  const { controller, version, folder } = part;
  const bytes = String(Math.round(limits.memoryMb * MIB));
  const quota = Math.max(1_000, Math.round(limits.cpus * CPU_PERIOD_US));
  // More than asked for: the program that makes the sandbox, and the process in it that collects the dead.
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
        // A kernel that does not count swap, or a machine that has none.
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

/** A counter from a file of `name value` lines; 0 when it is not there. */
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
