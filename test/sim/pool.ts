import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Mutant } from './mutants.ts';
import type { GroundKind, Services } from './open-ground.ts';
import type { Report } from './report.ts';

/** Real milliseconds after which a seed counts as hanging, such as in an endless loop. */
const HANGS_AFTER_MS = 180_000;

export interface Range {
  from: number;
  count: number;
  /** Threads. */
  jobs: number;
  services: Services;
  kind: GroundKind;
  mutant?: string;
  /** True to end the run. */
  isEnough: (report: Report) => boolean;
}

/** Simulates a range of seeds in worker threads, in any order. @throws Error if a seed hangs. */
export async function simulateRange(range: Range): Promise<void> {
  const { services, kind, mutant } = range;
  let next = range.from;
  let isOver = false;
  const work = async (): Promise<void> => {
    const order = await services.order(kind);
    await new Promise<void>((resolve, reject) => {
      const worker = new Worker(join(import.meta.dirname, 'worker.ts'), { workerData: { mutant, order } });
      let watch: NodeJS.Timeout | undefined;
      let isDone = false;
      const give = (): void => {
        clearTimeout(watch);
        isDone = isOver || next >= range.from + range.count;
        if (isDone) return worker.postMessage(undefined);
        const seed = next++;
        watch = setTimeout(() => {
          isOver = true;
          void worker.terminate();
          reject(new Error(`seed ${seed} hangs: no step ended within ${HANGS_AFTER_MS / 1_000} s`));
        }, HANGS_AFTER_MS);
        worker.postMessage(seed);
      };
      worker.on('message', (report: Report) => {
        isOver ||= range.isEnough(report);
        give();
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        clearTimeout(watch);
        if (isDone) resolve();
        else reject(new Error('The thread ended before its seeds.'));
      });
      give();
    });
  };
  await Promise.all(Array.from({ length: range.jobs }, work));
}

/** Simulates a mutant until it is caught. Undefined if no seed of the range catches it. */
export async function catchMutant(
  mutant: Pick<Mutant, 'name' | 'breaks'>,
  range: Omit<Range, 'isEnough' | 'jobs' | 'mutant'>,
): Promise<{ caught?: Report; lived: number }> {
  let caught: Report | undefined;
  let lived = 0;
  const isEnough = (report: Report): boolean => {
    lived++;
    if (report.broken && mutant.breaks.includes(report.broken.invariant)) caught ??= report;
    return caught !== undefined;
  };
  await simulateRange({ ...range, jobs: 1, mutant: mutant.name, isEnough });
  return { lived, ...(caught && { caught }) };
}
