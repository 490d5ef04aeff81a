import { mkdirSync } from 'node:fs';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave } from './measure.ts';
import { BARE, buildBundle, SOURCE, timeToExit } from './program.ts';

/** Start to the end of `--version`, with the code cache as the second start finds it. */
export const startTime: Benchmark = {
  name: 'start',
  async run({ quick }) {
    const bundle = buildBundle();
    using place = createTestHome();
    // The cache of compiled code lies in it, and is used only where it exists.
    mkdirSync(place.home, { mode: 0o700 });
    const taken = await interleave(
      {
        bare: () => timeToExit(BARE, { place }),
        bundle: () => timeToExit([...bundle, '--version'], { place }),
        source: () => timeToExit([...SOURCE, '--version'], { place }),
      },
      quick ? 5 : 31,
    );
    const bare = { value: taken.bare, what: 'node -e 0' };
    return [
      { name: 'start to --version, bundle', value: taken.bundle, unit: 'ms', bare },
      { name: 'start to --version, source', value: taken.source, unit: 'ms', bare },
    ];
  },
};
