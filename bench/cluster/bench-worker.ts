import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WORKFLOW_CACHE } from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';

/** A worker in a process of its own. */
export interface BenchWorker extends AsyncDisposable {
  readonly pid: number;
  /** Unix milliseconds of the first line of the last run of each session. */
  readonly begun: ReadonlyMap<string, number>;
  /** Resolves when a session has run. */
  readonly ran: (session: string) => Promise<void>;
}

export function startBenchWorker(address: string, slots: number): BenchWorker {
  const program = join(import.meta.dirname, 'worker-process.ts');
  const child = spawn(process.execPath, [program, address, WORKFLOW_CACHE, String(slots)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const begun = new Map<string, number>();
  const waits = new Map<string, () => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [session = '', time] = line.split(' ');
    begun.set(session, Number(time));
    waits.get(session)?.();
  });
  return {
    pid: child.pid!,
    begun,
    ran: async (session) => {
      if (!begun.has(session)) await new Promise<void>((resolve) => waits.set(session, resolve));
      waits.delete(session);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
