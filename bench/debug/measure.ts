import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../program.ts';

/** The file of a module of `apps/debug`. */
export const toModule = (path: string): string => JSON.stringify(join(ROOT, 'apps/debug', path));

/** Runs a program in a process of its own, which prints one JSON. */
export async function measure<T>(program: string, execArgv: readonly string[] = []): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, '--input-type=module', '-e', program]);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as T;
}
