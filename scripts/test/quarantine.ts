/** A test file that fails sometimes, until its defect is fixed. */
export interface Quarantined {
  /** Relative to the root. */
  file: string;
  /** What fails, and since when. */
  reason: string;
}

/** Files that `npm test` reports as skipped. */
export const QUARANTINE: readonly Quarantined[] = [
  {
    file: 'test/debug/redact/planted-run.test.ts',
    reason: 'Since 2026-11-29: sometimes no request contains the masked address of the database.',
  },
];
