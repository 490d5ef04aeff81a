import { readdirSync, readFileSync, statSync } from 'node:fs';

export interface ProcessRow {
  pid: number;
  parent: number;
  /** Clock ticks since boot. Together with the pid it identifies a process. */
  startTime: string;
  /** True for a zombie. */
  ended: boolean;
}

/** Undefined when the process has ended. Linux only. @source man 5 proc_pid_stat */
export function readProcess(pid: number): ProcessRow | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), startTime: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
}

/** Ids of all processes; empty without /proc. */
export function listPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Number of tasks of a user, which the kernel compares with the process limit. */
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

/** The descendants of a process, parents before children. */
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

/** The init process of a pid namespace among the descendants of a process. @source man 5 proc_pid_status (NSpid) */
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

/** Sends a signal to one process. No error when the process has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  // Processes outside our pid namespace are listed as 0, which `kill` would take for our own process group.
  if (!(pid > 1)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user.
  }
}
