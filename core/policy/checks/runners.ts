import type { CheckKind } from '../../protocol/index.ts';
import { ESLINT, JEST, MOCHA, NODE_TEST, TSC, VITEST } from './javascript-runners.ts';
import { ASKS, type Runner } from './runner.ts';
import { forNames } from '../word-list.ts';

const CARGO: Pick<Runner, 'filters' | 'valued' | 'nothing'> = {
  filters: '-p= --package= --exclude= --test= --lib --bins --skip= --doc --examples -E=',
  valued: '--features --target --manifest-path --profile -j --jobs',
  nothing: '--no-run --help -h --list',
};
const MAKE: Pick<Runner, 'valued' | 'nothing'> = {
  valued: '-C -f -j',
  nothing: '-n --dry-run -i --ignore-errors -t -q -h',
};

export const RUNNERS: Readonly<Record<string, Runner | readonly Runner[]>> = {
  vitest: VITEST,
  jest: JEST,
  mocha: MOCHA,
  ava: { kind: 'test', filters: '-m= --match=', valued: '-c -T --config', nothing: ASKS },
  tap: { kind: 'test', filters: '-g= --grep= --only --changed', valued: '-R', nothing: ASKS },
  playwright: {
    kind: 'test',
    verbs: 'test',
    filters: '-g= --grep= --grep-invert= --project= --last-failed --shard= --only-changed',
    valued: '-c --config --reporter --workers -j',
    nothing: `${ASKS} --list --pass-with-no-tests`,
  },
  cypress: { kind: 'test', verbs: 'run', filters: '-s= --spec=', valued: '-b --browser -C', nothing: ASKS },
  ...forNames<Runner>('pytest py.test', {
    kind: 'test',
    filters: '-k= -m= --deselect= --ignore= --ignore-glob= --lf --last-failed --sw --stepwise --picked --testmon',
    loads: '-c -p --confcutdir',
    valued: '-o -n --rootdir --tb --maxfail --cov --cov-report -W --junitxml -r',
    nothing: `${ASKS} --collect-only --co --markers --fixtures --setup-plan --setup-only`,
  }),
  unittest: {
    kind: 'test',
    filters: '-k= -p= --pattern=',
    valued: '-s --start-directory -t --top-level-directory',
    nothing: '-h --help',
  },
  'node --test': NODE_TEST,
  tox: { kind: 'test', filters: '-e= --skip-env=', valued: '-c --workdir', nothing: `${ASKS} -l --notest` },
  nox: { kind: 'test', filters: '-s= -k= -t=', valued: '-f', nothing: `${ASKS} -l --list` },
  ctest: {
    kind: 'test',
    filters: '-R= -E= -L= -LE= -I= --rerun-failed',
    valued: '-j --test-dir -C',
    nothing: `${ASKS} -N --show-only`,
  },
  rspec: {
    kind: 'test',
    filters: '-e= --example= -t= --tag= --only-failures',
    loads: '-r --require -f --format',
    nothing: `${ASKS} --dry-run`,
  },
  phpunit: {
    kind: 'test',
    filters: '--filter= --group= --exclude-group= --testsuite=',
    valued: '-c --configuration',
    nothing: `${ASKS} --list-tests`,
  },
  go: [
    {
      kind: 'test',
      verbs: 'test',
      filters: '-run= -skip= -short',
      valued: '-count -timeout -tags -p -parallel -coverprofile -cpu',
      nothing: '-list -c -n -h',
    },
    { kind: 'lint', verbs: 'vet', nothing: '-n' },
    { kind: 'build', verbs: 'build', valued: '-o -tags -ldflags', nothing: '-n' },
  ],
  cargo: [
    { kind: 'test', verbs: 'test nextest t', ...CARGO },
    { kind: 'types', verbs: 'check c', ...CARGO },
    { kind: 'lint', verbs: 'clippy', ...CARGO, fixFlags: '--fix' },
    { kind: 'build', verbs: 'build b', ...CARGO },
    { kind: 'format', verbs: 'fmt', needs: '--check' },
  ],
  deno: [
    {
      kind: 'test',
      verbs: 'test',
      filters: '--filter= --ignore=',
      valued: '-c --config --coverage',
      nothing: `${ASKS} --no-run --permit-no-files`,
    },
    { kind: 'types', verbs: 'check' },
    { kind: 'lint', verbs: 'lint', fixFlags: '--fix' },
    { kind: 'format', verbs: 'fmt', needs: '--check' },
  ],
  bun: {
    kind: 'test',
    verbs: 'test',
    filters: '-t= --test-name-pattern= --only',
    loads: '--preload -r --reporter',
    valued: '--timeout',
    nothing: ASKS,
  },
  dotnet: [
    { kind: 'test', verbs: 'test', filters: '--filter=', valued: '-c -f -l -v', nothing: '--list-tests -t -h' },
    { kind: 'build', verbs: 'build', valued: '-c -f -o -v', nothing: '-h' },
  ],
  mvn: [
    {
      kind: 'test',
      verbs: 'test verify install',
      filters: '-pl= -Dtest',
      valued: '-f',
      nothing: '-DskipTests -Dmaven.test.skip -Dmaven.test.failure.ignore -h -v -fn',
    },
    { kind: 'build', verbs: 'compile package', valued: '-f', nothing: '-h -v -fn' },
  ],
  gradle: [
    { kind: 'test', verbs: 'test check', filters: '--tests= -x=', nothing: '--dry-run -m --continue -h -v' },
    { kind: 'build', verbs: 'build assemble', filters: '-x=', nothing: '--dry-run -m -h -v' },
  ],
  make: [
    { kind: 'test', verbs: 'test tests check', ...MAKE },
    { kind: 'lint', verbs: 'lint', ...MAKE },
    { kind: 'build', verbs: 'all build', needsVerb: false, ...MAKE },
  ],
  swift: [
    { kind: 'test', verbs: 'test', filters: '--filter= --skip=', nothing: '-h --help -l' },
    { kind: 'build', verbs: 'build' },
  ],
  mix: { kind: 'test', verbs: 'test', filters: '--only= --exclude= --include= --stale --failed', nothing: '--help' },
  ...forNames('tsc vue-tsc tsgo', TSC),
  mypy: {
    kind: 'types',
    filters: '--exclude= --follow-imports=',
    valued: '--config-file --python-version --cache-dir',
    nothing: ASKS,
  },
  pyright: { kind: 'types', projects: '-p --project', nothing: ASKS },
  eslint: ESLINT,
  oxlint: { ...ESLINT, filters: '--ignore-pattern= -A= --allow= --quiet' },
  biome: [
    {
      kind: 'lint',
      verbs: 'check lint ci',
      filters: '--only= --skip= --changed --staged',
      valued: '--config-path --reporter',
      nothing: `${ASKS} --no-errors-on-unmatched`,
      fixFlags: '--write --fix --apply',
    },
    { kind: 'format', verbs: 'format', nothing: ASKS, fixFlags: '--write --fix' },
  ],
  ruff: [
    {
      kind: 'lint',
      verbs: 'check',
      filters: '--ignore= --select= --exclude= --extend-exclude=',
      valued: '--config --output-format',
      nothing: `${ASKS} --exit-zero -e`,
      fixFlags: '--fix',
    },
    { kind: 'format', verbs: 'format', needs: '--check --diff', filters: '--exclude=' },
  ],
  flake8: {
    kind: 'lint',
    filters: '--ignore= --select= --exclude= --extend-ignore=',
    valued: '--config --max-line-length',
    nothing: `${ASKS} --exit-zero`,
  },
  pylint: { kind: 'lint', filters: '--disable= -d= --ignore=', valued: '--rcfile', nothing: `${ASKS} --exit-zero` },
  'golangci-lint': {
    kind: 'lint',
    verbs: 'run',
    filters: '-D= --disable= --new --fast',
    valued: '-c --config --timeout',
    nothing: '-h --issues-exit-code=0',
    fixFlags: '--fix',
  },
  shellcheck: { kind: 'lint', filters: '-e= --exclude= -S= --severity=', valued: '-s -f', nothing: ASKS },
  rubocop: { kind: 'lint', filters: '--only= --except=', nothing: ASKS, fixFlags: '-a -A --autocorrect' },
  ...forNames<Runner>('standard xo', { kind: 'lint', fixFlags: '--fix', nothing: ASKS }),
  stylelint: {
    kind: 'lint',
    filters: '--ignore-pattern= --quiet',
    valued: '--config -f',
    nothing: `${ASKS} --allow-empty-input`,
    fixFlags: '--fix',
  },
  prettier: {
    kind: 'format',
    needs: '--check -c --list-different -l',
    valued: '--config --ignore-path --parser',
    nothing: '--help -h --version',
    fixFlags: '--write -w',
  },
  oxfmt: { kind: 'format', needs: '--check', valued: '-c --config', nothing: ASKS },
  black: { kind: 'format', needs: '--check', filters: '--exclude=', valued: '-l -t', nothing: ASKS },
  vite: { kind: 'build', verbs: 'build', valued: '--config -c --mode -m --outDir', nothing: ASKS },
  webpack: { kind: 'build', valued: '--config -c --mode', nothing: ASKS },
  rollup: { kind: 'build', needs: '-c --config -i --input', valued: '-i -o -f -d', nothing: ASKS },
  ...forNames<Runner>('esbuild tsup', { kind: 'build', nothing: ASKS }),
  next: [
    { kind: 'build', verbs: 'build' },
    { kind: 'lint', verbs: 'lint' },
  ],
  ninja: { kind: 'build', valued: '-C -j', nothing: '-n -t -h' },
  cmake: { kind: 'build', needs: '--build', nothing: '--help' },
};

export function toNamedKind(name: string): CheckKind | undefined {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const has = (...all: string[]): boolean => all.some((word) => words.includes(word));
  if (has('fix', 'watch', 'dev', 'write', 'update', 'clean')) return undefined;
  if (has('test', 'tests', 'spec', 'specs', 'unit', 'e2e', 'integration', 'jest', 'vitest')) return 'test';
  if (has('type', 'types', 'typecheck', 'tsc', 'typescript')) return 'types';
  if (has('lint', 'eslint')) return 'lint';
  if (has('format', 'fmt', 'prettier')) return has('check') ? 'format' : undefined;
  if (has('build', 'compile', 'bundle')) return 'build';
  if (has('check', 'checks', 'verify', 'validate', 'ci')) return 'other';
  return undefined;
}
