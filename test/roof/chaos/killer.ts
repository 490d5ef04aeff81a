import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../undo/chance.ts';
import type { Scene } from './scene.ts';

/** What a process is: the daemon, the program of an agent, a sandbox with all in it, a command line, or their tool. */
const VICTIMS = ['daemon', 'program', 'sandbox', 'client', 'helper'] as const;
export type Victim = (typeof VICTIMS)[number];
export type Kills = Record<Victim, number>;

interface Found {
  pid: number;
  parent: number;
  commandLine: string;
  environment: string;
  folder: string;
}

/** Kills one process after the other, each of a random kind. Returns the number of kills of each kind. */
export async function killAtRandom(scene: Scene, { chance, until }: { chance: Chance; until: number }): Promise<Kills> {
  const kills = Object.fromEntries(VICTIMS.map((victim) => [victim, 0])) as Kills;
  while (Date.now() < until) {
    await pause(100 + chance.number(1_000));
    const all = Map.groupBy(findProcesses(scene.root), toVictim);
    const victim = chance.pick(VICTIMS);
    const found = all.get(victim);
    if (found && kill(chance.pick(found).pid)) kills[victim] += 1;
  }
  return kills;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

function toVictim({ pid, commandLine }: Found): Victim {
  if (commandLine.includes('serve\0--daemon')) return 'daemon';
  const program = commandLine.split('\0')[0]!;
  if (commandLine.includes('acp-agent.fixture') && program.endsWith('/node')) return 'program';
  if (program.endsWith('bwrap') || isIsolated(pid)) return 'sandbox';
  return program.endsWith('/node') ? 'client' : 'helper';
}

function isIsolated(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) !== readlinkSync('/proc/self/ns/pid');
  } catch {
    return true;
  }
}

/** The processes that belong to a folder, by their environment, command line or working folder, and all below them. */
export function findProcesses(root: string): Found[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
  const found = new Map<number, Found>();
  for (const one of all) if (belongsTo(one, root)) found.set(one.pid, one);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const one of all) if (found.has(one.parent)) found.set(one.pid, one);
  }
  return [...found.values()];
}

const belongsTo = ({ pid, commandLine, environment, folder }: Found, root: string): boolean =>
  pid !== process.pid && [commandLine, environment, folder].some((text) => text.includes(root));

function readProcess(pid: number): Found | undefined {
  try {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'latin1');
    const stat = read('stat');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    return {
      pid,
      parent: Number(parent),
      commandLine: read('cmdline'),
      environment: read('environ'),
      folder: readlinkSync(`/proc/${pid}/cwd`),
    };
  } catch {
    // It has just ended.
    return undefined;
  }
}
