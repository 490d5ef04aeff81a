import { readdirSync, readFileSync, statSync } from 'node:fs';

/** One row of /proc. */
export interface ProcessRow {
  pid: number;
  parent: number;
  /** Clock ticks since boot: with the pid it names one process for ever. */
  startTime: string;
  /** True for a process that has ended and only waits to be collected. */
  ended: boolean;
}

/**
 * The process, or undefined when it is gone. Linux only.
 *
 * @source man 5 proc_pid_stat
 */
export function readProcess(pid: number): ProcessRow | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), startTime: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
}

/** Ids of all processes; empty where there is no /proc. */
export function listPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Tasks of a user in all: what the kernel compares with the limit of processes. */
export function countTasks(uid: number): number {
  let sum = 0;
  for (const pid of listPids()) {
    try {
      if (statSync(`/proc/${pid}`).uid === uid) sum += readdirSync(`/proc/${pid}/task`).length;
    } catch {
      // It has ended.
    }
  }
  return sum;
}

/** Everything below a process, parents before children, without the process itself. */
export function listDescendants(pid: number): number[] {
  const quick = childrenOf(pid);
  if (quick) {
    const found = [...quick];
    for (let at = 0; at < found.length; at++) found.push(...(childrenOf(found[at]!) ?? []));
    return found;
  }
  const children = Map.groupBy(
    listPids().flatMap((each) => readProcess(each) ?? []),
    (row) => row.parent,
  );
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const below = (children.get(next) ?? []).map((row) => row.pid);
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

/**
 * The first process of a pid namespace below a process; undefined when there is none.
 *
 * @source man 5 proc_pid_status (NSpid)
 */
export function findNamespaceInit(pid: number): number | undefined {
  return listDescendants(pid).find((each) => {
    try {
      const ids = /^NSpid:\t(.*)$/m.exec(readFileSync(`/proc/${each}/status`, 'latin1'))?.[1]?.split('\t') ?? [];
      return ids.length > 1 && ids.at(-1) === '1';
    } catch {
      return false;
    }
  });
}

/** Kernels without CONFIG_PROC_CHILDREN lack the file: undefined. */
function childrenOf(pid: number): number[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return undefined;
  }
}

/** Sends a signal to one process; one that is already gone is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  // A group's member from outside our pid namespace reads as 0, which would mean our own process group.
  if (!(pid > 1)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or not ours to signal: either way there is nothing to do here.
  }
}
