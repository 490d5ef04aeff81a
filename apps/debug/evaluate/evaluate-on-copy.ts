import { readText } from '../stack/read-stack.ts';
import type { CopyAnswer, CopyRequest } from './copy/copy-messages.ts';
import type { CopyProcess } from './copy/copy-process.ts';
import { takeSnapshot, TooLargeError, type Snapshot } from './copy/snapshot.ts';
import { toBoxed, toRefusal, toStatements, THIS } from './evaluate-checked.ts';
import { LIMITED_CLASSES } from './limit-sizes.ts';
import { splitCode } from './split-code.ts';

export interface CopyOptions {
  process: CopyProcess;
  code: string;
  timeoutMs: number;
  names: Readonly<Record<string, unknown>>;
  secrets: readonly string[];
}

/** Code with these could make a promise: one that is rejected would end its process. */
const ASYNC = /\basync\b|\bimport\b/;

/**
 * Runs code that V8's check refuses on frozen copies of the values that it names, in another process, which has a limit
 * of memory. What needs the program itself, or would change a value, fails with its name.
 *
 * @returns Undefined for code that cannot run there at all.
 */
export async function evaluateOnCopy({
  process: copies,
  code,
  timeoutMs,
  names,
  secrets,
}: CopyOptions): Promise<CopyAnswer | undefined> {
  const split = splitCode(code);
  if (split.isAsync || ASYNC.test(code)) return undefined;
  const used = [...new Set(code.match(/[A-Za-z_$][\w$]*/g))].filter(
    (name) => name in names && !LIMITED_CLASSES.has(name) && (!(name in globalThis) || isOwn(name, names[name])),
  );
  if (THIS in names && /\bthis\b/.test(code)) used.push(THIS);
  let snapshot: Snapshot;
  try {
    snapshot = takeSnapshot(Object.fromEntries(used.map((name) => [name, names[name]])));
  } catch (error) {
    if (error instanceof TooLargeError) return { kind: 'thrown', message: readText(error, 'message'), printed: [] };
    throw error;
  }
  const request: CopyRequest = {
    code: toBoxed(toStatements(split), code),
    snapshot,
    timeoutMs,
    processInfo: readProcess(),
    secrets,
  };
  const answer = await copies.run(request);
  if (answer.kind !== 'thrown') return answer;
  return { ...answer, message: toRefusal(answer.message).message };
}

function readProcess(): string {
  const { version, versions, platform, arch, pid, ppid, argv, execArgv, execPath, title, exitCode, env } = process;
  const plain = { version, versions, platform, arch, pid, ppid, argv, execArgv, execPath, title, exitCode, env };
  return JSON.stringify({ ...plain, memory: process.memoryUsage(), uptime: process.uptime(), cwd: process.cwd() });
}

/** True for a variable of the program that hides a global of the same name. */
function isOwn(name: string, value: unknown): boolean {
  return name !== 'console' && (globalThis as Record<string, unknown>)[name] !== value;
}
