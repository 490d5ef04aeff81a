import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { ProcessOrder } from './process.ts';

const PROGRAM = join(import.meta.dirname, 'process.ts');

/** Runs a process of a tree to its end. True if it was killed. */
export function runProcess(order: ProcessOrder): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, JSON.stringify(order)], { timeout: 120_000 }, (error, _, stderr) => {
      if (error && (error.signal !== 'SIGKILL' || error.killed)) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(error !== null);
    });
  });
}
