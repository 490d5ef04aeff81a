import { ASKS, type Runner } from './runner.ts';

const JS_TESTS = '-t= --testNamePattern= --testPathPattern= --testPathPatterns= --grep= -g= --exclude=';

const JEST_FILTERS =
  '--onlyChanged -o --onlyFailures -f --findRelatedTests --shard= --testPathIgnorePatterns= --selectProjects= --lastCommit --changedSince= --runTestsByPath';

export const VITEST: Runner = {
  kind: 'test',
  filters: `${JS_TESTS} --changed --related --shard= --project= --dir= --onlyFailures`,
  loads: '-c --config --reporter --environment --runner --globalSetup',
  valued: '-r --root --pool --testTimeout --maxWorkers',
  nothing: '--passWithNoTests --run=false --help -h --version -v --mergeReports --clearCache',
};
export const JEST: Runner = {
  kind: 'test',
  filters: `${JS_TESTS} ${JEST_FILTERS}`,
  loads:
    '-c --config --reporters --testEnvironment --setupFiles --setupFilesAfterEnv --globalSetup --runner --testRunner --transform --preset',
  valued: '--rootDir --maxWorkers -w --testTimeout',
  nothing: `${ASKS} --passWithNoTests --listTests --showConfig --testFailureExitCode=0 --clearCache`,
};
export const MOCHA: Runner = {
  kind: 'test',
  filters: '-g= --grep= -f= --fgrep= -i --invert --ignore= --exclude=',
  loads: '-R --reporter -r --require --import --loader --config --package --ui -u --file',
  valued: '-t --timeout --spec --extension',
  nothing: `${ASKS} --dry-run --list-files`,
};
export const NODE_TEST: Runner = {
  kind: 'test',
  filters: '--test-name-pattern= --test-skip-pattern= --test-only --test-shard=',
  loads: '--import -r --require --loader --experimental-loader --test-reporter --test-global-setup --env-file',
  valued: '--test-reporter-destination --test-concurrency --test-timeout --conditions -C',
  nothing: '--help -h --version -v --check -c',
};
export const TSC: Runner = {
  kind: 'types',
  projects: '-p --project',
  valued: '--outDir --target --module --lib --pretty --rootDir --jsx --moduleResolution',
  nothing: `${ASKS} --noCheck --init --showConfig --listFilesOnly --clean --all --dry -d`,
};
export const ESLINT: Runner = {
  kind: 'lint',
  filters: '--ignore-pattern= --quiet --no-inline-config --suppress-all',
  valued: '-c --config -f --format --ext --max-warnings -o --output-file --cache-location --rule',
  nothing: `${ASKS} --print-config --init --env-info --pass-on-no-patterns --exit-on-fatal-error`,
  fixFlags: '--fix',
};
