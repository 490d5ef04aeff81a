// `npm run test:undo [-- --runs 300] [-- --seed N]`: runs many random histories, or repeats one. The histories of several
// authors are chosen by `--authors 500` and `--author-seed N`.
import { optional } from '@klaus/core/optional';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '300' },
    seed: { type: 'string' },
    authors: { type: 'string', default: '500' },
    'author-seed': { type: 'string' },
  },
});
const root = join(import.meta.dirname, '../..');
const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', 'test/undo'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    KLAUS_UNDO_RUNS: values.runs,
    KLAUS_AUTHOR_RUNS: values.authors,
    ...optional({ KLAUS_UNDO_SEED: values.seed, KLAUS_AUTHOR_SEED: values['author-seed'] }),
  },
});
process.exitCode = status ?? 1;
