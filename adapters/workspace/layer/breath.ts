import { setImmediate } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';

/** Milliseconds of work in one go. */
const SLICE = 10;

/** Lets others have a turn now and then during long work on many small files. */
export type Breath = () => Promise<void> | undefined;

/**
 * Work on files is done synchronously, because that is several times faster for small ones; this keeps the rest
 * of the program alive meanwhile.
 *
 * @throws KlausError `cancelled`, from the breath, when the signal has fired.
 */
export function createBreath(signal?: AbortSignal): Breath {
  let began = performance.now();
  const pause = async (): Promise<void> => {
    await setImmediate();
    began = performance.now();
  };
  return () => {
    if (signal?.aborted) throw new KlausError('cancelled', 'Stopped while a layer was being prepared.');
    return performance.now() - began < SLICE ? undefined : pause();
  };
}
