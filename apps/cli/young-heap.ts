import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the part of V8's heap where objects begin at the size that it has, 1 MB for each half. By itself it doubles
 * up to 32 MB in a stream of deltas or a long output, and the pages stay with the process; what a turn makes dies so
 * young that collecting it more often costs nothing that could be measured.
 *
 * Read when the heap would grow, and so also after the start: an installed program cannot give Node options.
 *
 * @source V8, NewSpace::Grow and `node --v8-options`
 */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
