import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

/** Kills the program and its process group when this process exits before the program does. */
export function endWithProcess(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  });
}

function killAll() {
  for (const child of running) killGroup(child, 'SIGKILL');
}

/** Sends a signal to a program that leads a process group, and to the programs that it started. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
