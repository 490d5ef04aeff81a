import { readdirSync, readFileSync } from 'node:fs';
import { pollUntil } from '../fixtures/poll.ts';

/** A `sleep` with a unique argument, which identifies it in every namespace. */
export function toUniqueSleep(seconds = 300): string {
  const digits = String(Math.floor(Math.random() * 1e9)).padStart(9, '0');
  return `sleep ${seconds}.${digits}${process.pid}`;
}

/** Ids of the live processes whose command line holds the text; zombies have none. */
export function findProcesses(text: string): number[] {
  const wanted = text.replaceAll(' ', '\0');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      if (pid === process.pid) return false;
      const line = readLine(pid);
      return line.includes(text) || line.includes(wanted);
    });
}

/** Ids of the processes of this program with exactly these arguments, without shells that contain its text. */
export function findProgram(words: string): number[] {
  return findProcesses(words).filter((pid) => readLine(pid) === `${words.replaceAll(' ', '\0')}\0`);
}

/** Resolves when the program runs. The kernel notifies of no process of another one. */
export const untilProgram = (words: string): Promise<number> => pollUntil(() => findProgram(words)[0], { everyMs: 20 });

function readLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The ancestors of a process, nearest first, with the names of their programs. */
export function listParents(pid: number): { pid: number; name: string }[] {
  const parents: { pid: number; name: string }[] = [];
  for (let at = pid; at > 1;) {
    // The name is in parentheses and may contain any characters; the parent is the second field after it.
    const stat = readFileSync(`/proc/${at}/stat`, 'latin1');
    at = Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]);
    if (at > 1) parents.push({ pid: at, name: readFileSync(`/proc/${at}/comm`, 'latin1').trim() });
  }
  return parents;
}
