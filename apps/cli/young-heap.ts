/**
 * Keeps the part of V8's heap where objects begin at the size that it has now. By itself it doubles
 * up to 32 MB in a stream of deltas or a long output, and the pages stay with the process; what a turn makes dies so
 * young that collecting it more often costs nothing that could be measured.
 *
 * Read when the heap would grow, and so also after the start: an installed program cannot give Node options.
 *
 * @source V8, NewSpace::Grow and `node --v8-options`
 */
export function keepYoungHeapSmall(): void {
  // Loaded when it is called: no start waits for it.
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
