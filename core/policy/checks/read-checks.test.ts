import { describe, expect, test } from 'vitest';
import { readChecks } from './read-checks.ts';
import { ACTED_LATER } from './read-program.ts';

const SCRIPTS: Record<string, string> = {
  test: 'vitest run',
  'test:unit': 'node --test test/',
  lint: 'eslint .',
  build: 'tsc -b && vite build',
  all: 'npm run lint && npm test',
  fake: 'exit 0',
  'test:fake': 'echo "42 passed"',
  'test:soft': 'vitest run || true',
  'test:own': './run-it.sh',
  verify: 'node scripts/all.js',
};
const read = (line: string) =>
  readChecks(line, { root: '/home/ada/sums', scriptsOf: (folder) => (folder === '' ? SCRIPTS : undefined) });
/** `kind:runner paths|filters`. */
const short = (line: string) =>
  read(line)?.checks.map(
    ({ kind, runner, paths, filters }) =>
      `${kind}:${runner}${paths.length > 0 ? ` ${paths.join(' ')}` : ''}${filters.length > 0 ? ` | ${filters.join(', ')}` : ''}`,
  );

describe('what is a check', () => {
  test.each([
    ['npm test', ['test:vitest']],
    ['npm t', ['test:vitest']],
    ['npm run test:unit', ['test:node --test test']],
    ['npm test -- -t adds', ['test:vitest | -t adds']],
    ['npm test src/a.test.ts', ['test:vitest src/a.test.ts']],
    ['yarn lint', ['lint:eslint .'.replace(' .', '')]],
    ['pnpm vitest run', ['test:vitest']],
    ['npm run all', ['lint:eslint', 'test:vitest']],
    ['npm run build', ['types:tsc', 'build:vite']],
    ['npm run test:own', ['test:script test:own']],
    ['npm run verify', ['other:script verify']],
    ['npx vitest run src/a.test.ts', ['test:vitest src/a.test.ts']],
    ['npx -y jest --ci -t "adds two"', ['test:jest | -t adds two']],
    ['node --test', ['test:node --test']],
    ['node --import tsx --test test/*.ts', ['test:node --test test/*.ts']],
    ['node --test --test-name-pattern=adds', ['test:node --test | --test-name-pattern adds']],
    ['python3 -m pytest -q tests/test_a.py', ['test:pytest tests/test_a.py']],
    ['pytest -k adds', ['test:pytest | -k adds']],
    ['python -m unittest discover -v', ['test:unittest']],
    ['uv run pytest', ['test:pytest']],
    ['.venv/bin/pytest', ['test:pytest']],
    ['go test ./...', ['test:go']],
    ['cargo test --workspace', ['test:cargo']],
    ['make test', ['test:make']],
    ['node_modules/.bin/tsc -p tsconfig.json --noEmit', ['types:tsc tsconfig.json']],
    ['eslint --format json src', ['lint:eslint src']],
    ['prettier --check .', ['format:prettier']],
    ['cd packages/a && npx vitest run', ['test:vitest']],
    ['CI=1 timeout 60 npm test 2>&1', ['test:vitest']],
    ['npm ci && npm test', ['test:vitest']],
    ["bash -c 'npm test'", ['test:vitest']],
    ["sed -i 's/a/b/' src/x.js && npm test", ['test:vitest']],
    ['npm test && git add -A && git commit -m x', ['test:vitest']],
    ['npm test || exit 1', ['test:vitest']],
    ['npm test || { echo failed; exit 1; }', ['test:vitest']],
    ['set -e; npm run lint; npm test', ['lint:eslint', 'test:vitest']],
    ["bash -o pipefail -c 'npm test | tail -5'", ['test:vitest']],
    ['node test/math.test.js', ['test:file test/math.test.js']],
    ['./run-tests.sh', ['test:file run-tests.sh']],
    ['(npm test)', ['test:vitest']],
    ['cd /home/ada/sums && npm test', ['test:vitest']],
    ['npm test -w packages/a', ['test:vitest | -w packages/a']],
  ])('%s', (line, checks) => {
    expect(short(line)).toEqual(checks);
    expect(read(line)?.doubt).toBeUndefined();
  });

  test.each([
    'echo "42 passed"',
    'cat test.log',
    'node -e "console.log(\'ok\')"',
    'npm install',
    'npm run fix',
    'git status',
    'eslint --fix .',
    'prettier --write .',
    'black .',
    'node server.js',
    'X=test; $X',
    'npm run nosuch',
    'grep -r vitest .',
    'printf "npm test"',
    'ls test',
  ])('no check: %s', (line) => expect(read(line)).toBeUndefined());

  test.each([
    ['npm test || true', /caught/],
    ['npm test; echo ok', /hides/],
    ['npm test\nexit 0', /hides/],
    ['npm test | tail -20', /pipe/],
    ['npm test 2>&1 | tee log', /pipe/],
    ['! npm test', /^!/],
    ['npm test &', /background/],
    ['if npm test; then echo ok; fi', /condition/],
    ["sh -c 'npm test || true'", /caught/],
    ['npm test; true', /hides/],
    ['npm test && sed -i s/a/b/ src/x.js', ACTED_LATER],
    ['npm test && echo x > src/x.js', ACTED_LATER],
    ['PATH=./fake:$PATH npm test', /PATH/],
    ['npm() { echo ok; }; npm test', /function/],
    ['alias npm=true; npm test', /alias/],
    ["trap 'exit 0' EXIT; npm test", /trap/],
    ['npm run test:fake', /\btest:fake [^,]*: /],
    ['npm run test:soft', /caught/],
    ['vitest run --passWithNoTests', /passWithNoTests/],
    ['pytest --collect-only', /collect-only/],
    ['npm test --if-present', /if-present/],
    ['make -n test', /-n/],
    ['ruff check --exit-zero .', /exit-zero/],
    ['npm run test:fake || npm test', /./],
  ])('doubted: %s', (line, doubt) => expect(read(line)?.doubt).toMatch(doubt));
});

test.each([
  ...['cd /tmp/other && npm test', 'cd ~/other && npm test', '(cd ../x; npm test)', 'pushd /srv/x && npm test'],
  ...['cd "$D" && npm test', 'cd - && npm test', 'pushd src && popd && npm test', 'env -C /srv/x npm test'],
  ...['npm --prefix /srv/x test', 'npm test --prefix ../x', 'make -C /srv/x test', 'vitest run --root /srv/x'],
  ...['pytest /srv/x', 'cargo test --manifest-path=/srv/x/Cargo.toml', 'go test -C/srv/x ./...', 'tsc -p ../x'],
])('%s is a check of another folder', (line) => {
  expect(readChecks(line, { root: '/w', scriptsOf: () => ({ test: 'vitest run' }) })?.doubt).toBeDefined();
});

test.each([
  ...['cd "$(git rev-parse --show-toplevel)" && npm test', 'cd /w/src && npm test', 'cd src/.. && npm test'],
  ...[
    'go test ./...',
    'tsc -p ./tsconfig.json',
    'vitest run --outputFile=/tmp/report.xml',
    'pytest --junitxml /tmp/x.xml',
  ],
  ...['/usr/bin/make test', 'npm test > /tmp/log', 'cd "$PWD" && npm test', 'pytest ./tests'],
])('%s is a check of the workspace', (line) => {
  expect(readChecks(line, { root: '/w', scriptsOf: () => ({ test: 'vitest run' }) })?.doubt).toBeUndefined();
});
