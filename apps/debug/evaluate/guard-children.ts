import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:worker_threads';
import { readClock } from '../inspector/bounded.ts';
import { NotAllowedError, type AnyFunction, type Patches } from './patches.ts';

const load = (name: string): object => process.getBuiltinModule(name)!;
const kill = process.kill.bind(process);
const floor = Math.floor;

/** Children and workers that evaluated code starts end with the evaluation. */
export function guardChildren({ patches, limit }: { patches: Patches; limit: number }): { end(): void } {
  const children: { child: ChildProcess; isGroup: boolean }[] = [];
  const workers: Worker[] = [];
  const processes = load('node:child_process') as Record<string, AnyFunction>;
  const threads = load('node:worker_threads') as { Worker: new (...values: unknown[]) => Worker };
  patches.patch(
    (processes['ChildProcess'] as unknown as { prototype: object }).prototype,
    'spawn',
    (original) =>
      function (this: ChildProcess, options: { detached?: boolean }) {
        children.push({ child: this, isGroup: true });
        // A group of its own: what the child starts ends with it.
        return original.call(this, { ...options, detached: process.platform !== 'win32' }) as unknown;
      },
  );
  for (const name of ['spawnSync', 'execSync', 'execFileSync'])
    patches.patch(processes, name, (original) => (file: unknown, ...values: unknown[]) => {
      const list = Array.isArray(values[0]) ? [values.shift()] : [];
      const given = (values[0] ?? {}) as { timeout?: number };
      const left = Math.max(1, floor(limit - readClock()));
      return original(file, ...list, {
        ...given,
        timeout: Math.min(given.timeout ?? left, left),
        killSignal: 'SIGKILL',
      }) as unknown;
    });
  const { Worker: Original } = threads;
  patches.patch(
    threads,
    'Worker',
    () =>
      class extends Original {
        constructor(...values: unknown[]) {
          super(...values);
          workers.push(this);
          this.on('error', () => {});
        }
      } as unknown as AnyFunction,
  );
  refuseHarmful(patches);
  return {
    end() {
      for (const { child } of children) {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
        killGroup(child);
      }
      for (const worker of workers) void worker.terminate();
    },
  };
}

function killGroup(child: ChildProcess): void {
  try {
    kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** Functions that stop the process where nothing can end them, or that end it. */
function refuseHarmful(patches: Patches): void {
  const inspector = load('node:inspector') as { Session: { prototype: object } };
  patches.refuse(inspector, 'open close waitForDebugger');
  patches.refuse(inspector.Session.prototype, 'post connect connectToMainThread');
  patches.refuse(
    load('node:v8') as object,
    'setFlagsFromString setHeapSnapshotNearHeapLimit writeHeapSnapshot getHeapSnapshot',
  );
  const fs = load('node:fs') as Record<string, AnyFunction>;
  for (const name of ['readFileSync', 'openSync', 'readSync'])
    patches.patch(fs, name, (original) => (file: unknown, ...values: unknown[]) => {
      if (isEndless(file, fs))
        throw new NotAllowedError(`${name} of a file without an end is refused: nothing could stop it.`);
      return original(file, ...values) as unknown;
    });
}

/** A terminal, a pipe or a device: reading it can wait for ever. */
function isEndless(file: unknown, fs: Record<string, AnyFunction>): boolean {
  try {
    const stat = (typeof file === 'number' ? fs['fstatSync']!(file) : fs['statSync']!(file)) as { isFile(): boolean };
    return !stat.isFile();
  } catch {
    return false;
  }
}
