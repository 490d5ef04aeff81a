import { writeFileSync } from 'node:fs';
import type { Reporter, Vitest } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Variable with the file to which the counts are written. */
export const COUNTS_FILE = 'KLAUS_TEST_COUNTS';

/**
 * A reporter of vitest that writes the counts of a run as JSON when all tests have ended. A file that fails outside of
 * its tests counts as one failed test, and so does every other error outside of tests. Tests with the tag `long`
 * are not counted if the filter `!long` leaves them out.
 */
export default class CountReporter implements Reporter {
  #withoutLong = false;

  onInit(vitest: Vitest): void {
    this.#withoutLong = vitest.config.tagsFilter?.includes('!long') ?? false;
  }

  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandled) => {
    const counts: Counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (this.#withoutLong && test.tags.includes('long')) continue;
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state]++;
      }
      if (module.state() === 'failed' && ![...module.children.allTests('failed')].length) counts.failed++;
    }
    writeFileSync(process.env[COUNTS_FILE]!, JSON.stringify(counts));
  };
}
