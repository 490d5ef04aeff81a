import { mkdirSync } from 'node:fs';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { createPlace } from '../test/fixtures/place.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave } from './measure.ts';
import { findNoSandbox, timeToExit } from './program.ts';

const TRUE = ['/bin/true'];

/** Start to exit of a program that does nothing, in the best sandbox of this machine. */
export const sandboxExec: Benchmark = {
  name: 'sandbox',
  async run({ quick }) {
    using place = createPlace();
    mkdirSync(place.home, { mode: 0o700 });
    const skipped = await findNoSandbox(place);
    if (skipped !== undefined) return [{ name: 'sandbox, start to exit of true', skipped }];
    const sandbox = await createSandbox({ workspace: place.workspace, home: place.home });
    const taken = await interleave(
      {
        bare: () => timeToExit(TRUE, { place }),
        klaus: async () => {
          const begun = performance.now();
          const { exitCode, stderr } = await sandbox.exec({ command: TRUE });
          if (exitCode !== 0) throw new Error(`true ended with ${exitCode} in ${sandbox.name}: ${stderr}`);
          return performance.now() - begun;
        },
      },
      quick ? 10 : 51,
    );
    const bare = { value: taken.bare, what: 'spawn of /bin/true' };
    return [{ name: `sandbox (${sandbox.name}), start to exit of true`, value: taken.klaus, unit: 'ms', bare }];
  },
};
