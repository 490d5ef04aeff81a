import { expect, test } from 'vitest';
import type { Evidence } from '../../protocol/index.ts';
import { findEnvironmentChanges, isEnvironmentFile } from './find-environment-changes.ts';
import type { ChangedFile } from './changed-file.ts';

const ROW: Evidence = {
  call: 'c',
  command: 'npm test',
  exitCode: 0,
  checks: [{ kind: 'test', runner: 'vitest', cwd: '', paths: [], filters: [], script: 'test' }],
};
const changed = (path: string, before: string | null, after: string | null): ChangedFile => ({
  path,
  before,
  after,
  isCreated: before === null,
  isDeleted: after === null,
});
const isWeakened = (...files: ChangedFile[]): boolean =>
  findEnvironmentChanges(files.filter(({ path }) => isEnvironmentFile(path))).some((found) => found.weakens(ROW));
const PACKAGE = (more: object): string => JSON.stringify({ scripts: { test: 'vitest run' }, ...more });

test.each([
  changed('.npmrc', null, 'script-shell=/x\n'),
  changed('.npmrc', 'registry=https://a\n', 'registry=https://a\nnode-options=--require=./x.cjs\n'),
  changed('.env.test', 'A=1\n', 'A=1\nNODE_OPTIONS=--require=./x.cjs\n'),
  changed('.pnpmfile.cjs', null, 'module.exports = {}'),
  changed('sitecustomize.py', null, 'x'),
  changed('unittest/__init__.py', null, 'x'),
  changed('.venv/lib/python3.13/site-packages/x.pth', null, 'import os; os._exit(0)\n'),
  changed('conftest.py', null, 'def pytest_runtest_makereport(item, call): pass\n'),
  changed('GNUmakefile', null, 'test:\n\ttrue\n'),
  changed('package.json', PACKAGE({}), PACKAGE({ scripts: { test: 'vitest run', pretest: 'rm -r test' } })),
  changed('package.json', PACKAGE({}), PACKAGE({ jest: { testMatch: [] } })),
  changed('node_modules/.bin/node', null, 'x'),
  changed('node_modules/.bin/vitest', 'a', 'b'),
  changed('node_modules/vitest/dist/cli.js', 'a', 'b'),
  changed('node_modules/@vitest/runner/dist/x.js', null, 'b'),
  changed('node_modules/lodash/index.js', 'a', 'b'),
])('$path: a check runs otherwise than when the session began', (file) => {
  expect(isWeakened(file)).toBe(true);
});

test.each([
  { name: 'a registry', files: [changed('.npmrc', null, 'registry=https://a\n')] },
  { name: 'a variable', files: [changed('.env.test', null, 'URL=http://localhost\n')] },
  { name: 'a fixture', files: [changed('conftest.py', null, '@pytest.fixture\ndef db(): ...\n')] },
  { name: 'a dependency', files: [changed('package.json', PACKAGE({}), PACKAGE({ dependencies: { a: '1' } }))] },
  { name: 'a module', files: [changed('src/types.py', null, 'x')] },
  {
    name: 'a new virtual environment',
    files: [
      changed('.venv/pyvenv.cfg', null, 'home = /usr/bin\n'),
      changed('.venv/lib/python3.13/site-packages/distutils-precedence.pth', null, 'import os\n'),
    ],
  },
  {
    name: 'a first installation',
    files: [
      changed('node_modules/vitest/package.json', null, '{}'),
      changed('node_modules/vitest/dist/cli.js', null, 'x'),
      changed('node_modules/.bin/vitest', null, 'x'),
    ],
  },
  {
    name: 'an update of another package',
    files: [changed('node_modules/lodash/package.json', 'a', 'b'), changed('node_modules/lodash/index.js', 'a', 'b')],
  },
  { name: 'a cache', files: [changed('node_modules/.vite/vitest/results.json', 'a', 'b')] },
])('$name changes nothing about how checks run', ({ files }) => {
  expect(isWeakened(...files)).toBe(false);
});
