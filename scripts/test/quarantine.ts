/** A test file that fails sometimes, until its defect is fixed. */
export interface Quarantined {
  /** Relative to the root. */
  file: string;
  /** What fails, and since when. */
  reason: string;
}

/** Files that `npm test` reports as skipped. */
export const QUARANTINE: readonly Quarantined[] = [];
