import { KlendathuError } from './klendathu-error.ts';
import { Report } from './report.ts';
import type { Run, RunControl } from './start-run.ts';

/** Fingerprints whose runs are remembered. */
const MAX_RUNS = 100;

interface SharedRun {
  run: Run<Report>;
  occurrences: number;
}

const runs = new Map<string, SharedRun>();

/**
 * The report of an earlier run with this key, once it has ended. Undefined if there is none: then `own` is the run
 * that later ones share. A run that failed is not remembered.
 *
 * @throws KlendathuError of the earlier run, unless only its caller ended it.
 */
export async function shareRun(key: string, own: Run<Report>, control: RunControl): Promise<Report | undefined> {
  for (let earlier = runs.get(key); earlier !== undefined; earlier = runs.get(key)) {
    earlier.occurrences += 1;
    try {
      await follow(earlier.run, control);
      return new Report(await earlier.run, { record: undefined, occurrences: earlier.occurrences });
    } catch (error) {
      if (!(KlendathuError.isInstance(error) && (error.code === 'cancelled' || error.code === 'timeout'))) throw error;
      control.signal.throwIfAborted();
    }
  }
  runs.set(key, { run: own, occurrences: 1 });
  own.catch(() => runs.delete(key));
  if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value!);
  return undefined;
}

/** Reports the messages of another run as those of this one, until one of them ends. */
async function follow(run: Run<Report>, control: RunControl): Promise<void> {
  const copy = async <T>(messages: AsyncIterable<T>, report: (message: T) => void) => {
    for await (const message of messages) {
      if (control.signal.aborted) return;
      report(message);
    }
  };
  const aborted = new Promise<void>((resolve) => control.signal.addEventListener('abort', () => resolve()));
  await Promise.race([Promise.all([copy(run.stderr, control.status), copy(run.events, control.event), run]), aborted]);
  control.signal.throwIfAborted();
}
