import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';
import { isGone, ownName } from './owner.ts';
import { callSystem } from './system-calls.ts';

/** The two ends of a pipe as descriptors; whoever takes it closes both. */
export interface Pipe {
  read: number;
  write: number;
}

const BATCH = 8;

/** Folders that are gone a moment later, with the name of the process that made them. */
const PREFIX = 'klaus-pipes-';

/**
 * Real pipes for the output of commands. Node's own `stdio: 'pipe'` is a socket pair, and a program cannot open a
 * socket again by name: `echo … > /dev/stderr` would fail with "No such device or address".
 */
export class PipePool {
  readonly #free: Pipe[] = [];
  #filling: Promise<boolean> | undefined;
  #swept = false;

  /** Undefined where this machine has neither Perl nor `mkfifo`. */
  async take(): Promise<Pipe | undefined> {
    for (;;) {
      const pipe = this.#free.pop();
      // Others may have taken all that were just made.
      if (pipe || !(await this.fill())) return pipe;
    }
  }

  /** Makes some ahead of their use, where there are none. False: it cannot. */
  async fill(): Promise<boolean> {
    if (this.#free.length > 0) return true;
    return await (this.#filling ??= this.#refill().finally(() => {
      this.#filling = undefined;
    }));
  }

  async #refill(): Promise<boolean> {
    if (!this.#swept) sweep();
    this.#swept = true;
    const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${ownName()}-`));
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
      if ((await callSystem(['pipes', ...paths])) && !(await makeByProgram(paths))) return false;
      for (const path of paths) {
        // A reader that does not wait for a writer comes first; the writer then finds it and does not wait either.
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
  const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore', env: toHostEnvironment() });
  return await once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  );
}

/** Removes the folders of a Klaus that was killed in that moment. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? name.slice(PREFIX.length, name.lastIndexOf('-')) : '';
    try {
      if (isGone(owner)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's: not ours to remove.
    }
  }
}

/** One pool for the process: pipes are not bound to a sandbox. */
export const pipePool = new PipePool();

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.read);
  closeSync(pipe.write);
}
