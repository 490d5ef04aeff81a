// `npm run test:undo [-- --runs 300] [-- --seed N]`: runs many random histories, or repeats one.
import { optional } from '@klaus/core/optional';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '300' }, seed: { type: 'string' } } });
const root = join(import.meta.dirname, '../..');
const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', 'test/undo'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    KLAUS_UNDO_RUNS: values.runs,
    ...optional({ KLAUS_UNDO_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;
