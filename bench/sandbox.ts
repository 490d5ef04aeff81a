import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { interleave, time } from './measure.ts';
import { findNoSandbox, timeToExit } from './program.ts';

const TRUE = ['/bin/true'];

/** What the kernel needs for namespaces alone: no filter, no limits, no workspace. */
const BARE_BWRAP = ['bwrap', '--unshare-all', '--ro-bind', '/', '/', '--', ...TRUE];

/** Secret files of an ordinary project. */
const SECRETS = ['.env', '.env.local', 'packages/api/.env', 'certs/server.key'];

/** A git repository with folders, a few secret files and some hundred ordinary ones. */
function toFiles(): Record<string, string> {
  const files = Array.from({ length: 400 }, (_, index) => [`packages/p${index % 40}/src/f${index}.ts`, 'export {};\n']);
  return Object.fromEntries(files) as Record<string, string>;
}

/** Start to exit of a program that does nothing, in the best sandbox of this machine. */
export const sandboxExec: Benchmark = {
  name: 'sandbox',
  async run({ quick }) {
    using place = createTestHome(toFiles());
    const { workspace, home } = place;
    mkdirSync(home, { mode: 0o700 });
    const skipped = await findNoSandbox(place);
    if (skipped !== undefined) return [{ name: 'sandbox, start to exit of true', skipped }];
    const masks = SECRETS.map((path) => join(workspace, path));
    for (const folder of ['packages/api', 'certs']) mkdirSync(join(workspace, folder), { recursive: true });
    for (const path of masks) writeFileSync(path, 'KEY=value\n');
    const sandbox = await createSandbox({ workspace, home, masks: async () => masks });
    const isBubblewrap = sandbox.name === 'bubblewrap';
    const taken = await interleave(
      {
        bare: () => timeToExit(TRUE, { place }),
        bwrap: () => (isBubblewrap ? timeToExit(BARE_BWRAP, { place }) : Promise.resolve(0)),
        klaus: () =>
          time(async () => {
            const { exitCode, stderr } = await sandbox.exec({ command: TRUE });
            if (exitCode !== 0) throw new Error(`true ended with ${exitCode} in ${sandbox.name}: ${stderr}`);
          }),
        // What the model's time to answer is not used for, the user waits for.
        ahead: async () => {
          const end = await sandbox.prestart?.({});
          if (!end) return 0;
          const asked = performance.now();
          let begun = 0;
          await sandbox.exec({ command: TRUE, onBegin: () => (begun = performance.now() - asked) });
          if (await end()) throw new Error('the command has not taken the sandbox that was made for it');
          return begun;
        },
      },
      quick ? 10 : 51,
    );
    const row = (name: string, bare: Row['bare'], times?: number): Row => ({
      name,
      value: taken.klaus,
      unit: 'ms',
      bare,
      ...(times === undefined ? {} : { most: { times } }),
    });
    return [
      row(`sandbox (${sandbox.name}), start to exit of true`, { value: taken.bare, what: 'spawn of /bin/true' }),
      ...(isBubblewrap
        ? [
            row('the same, with masks', { value: taken.bwrap, what: 'bwrap --unshare-all … true' }, 4),
            {
              name: 'a command begins in a sandbox that was made ahead',
              value: taken.ahead,
              unit: 'ms' as const,
              most: 5,
            },
          ]
        : []),
    ];
  },
};
