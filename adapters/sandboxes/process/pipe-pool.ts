import { constants, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';
import { runProgram } from '../run-program.ts';
import { isGone, ownName } from './owner.ts';
import { callSystem } from './system-calls.ts';

/** The descriptors of a pipe. The caller closes both. */
export interface Pipe {
  read: number;
  write: number;
}

const BATCH = 8;

/** Names of the temporary folders of this and of killed processes: the process is the first group. */
const NAME = /^klaus-(?:pipes|net|link)-(.+)-[^-]*$/;

/**
 * Creates real pipes for the output of commands. Node's `stdio: 'pipe'` is a socket pair, which a program cannot open
 * by name: `echo … > /dev/stderr` would fail with "No such device or address".
 */
export class PipePool {
  readonly #free: Pipe[] = [];
  #filling: Promise<boolean> | undefined;
  #swept = false;

  /** Undefined if this machine has neither Perl nor `mkfifo`. */
  async take(): Promise<Pipe | undefined> {
    for (;;) {
      const pipe = this.#free.pop();
      // Concurrent calls may have taken all new pipes.
      if (pipe || !(await this.fill())) return pipe;
    }
  }

  /** Creates pipes if none are free. False on failure. */
  async fill(): Promise<boolean> {
    if (this.#free.length > 0) return true;
    return await (this.#filling ??= this.#refill().finally(() => {
      this.#filling = undefined;
    }));
  }

  async #refill(): Promise<boolean> {
    if (!this.#swept) sweep();
    this.#swept = true;
    const folder = mkdtempSync(join(tmpdir(), `klaus-pipes-${ownName()}-`));
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
      if ((await callSystem(['pipes', ...paths])) && !(await makeByProgram(paths))) return false;
      for (const path of paths) {
        // The non-blocking reader is opened first, so that opening the writer does not block.
        const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        this.#free.push({ read, write: openSync(path, constants.O_WRONLY) });
      }
      return true;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function makeByProgram(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) rmSync(path, { force: true });
  return (await runProgram('mkfifo', ['-m', '600', ...paths], { env: toHostEnvironment() })).ok;
}

/** Removes the temporary folders of killed processes. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, owner = ''] = NAME.exec(name) ?? [];
    try {
      if (isGone(owner)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}

/** The pool of this process. Pipes are independent of sandboxes. */
export const pipePool = new PipePool();
